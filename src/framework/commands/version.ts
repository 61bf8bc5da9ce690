import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import packageJson from '../../../package.json' with { type: 'json' };
import type { AnyService } from '../service.ts';
import { versionOf } from '../storage/layout.ts';
import type { Io } from './io.ts';
import { print } from './print.ts';

const HASH = /^[\da-f]{40}$/;

/**
 * Git fills the file in when it makes an archive, and the Dockerfile does when it is given the argument COMMIT. In a clone
 * Git is asked; it is given the folder, as otherwise it would answer for a clone that the service lies in.
 */
function commitOf(root: URL): string {
  const written = readFileSync(new URL('src/framework/commit.txt', root), 'utf8').trim();
  if (HASH.test(written)) return written;
  const args = ['--git-dir', fileURLToPath(new URL('.git', root)), 'rev-parse', '--verify', 'HEAD'];
  const { error, stdout } = spawnSync('git', args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 2000,
  });
  const found = error === undefined ? stdout.trim() : '';
  return HASH.test(found) ? found : '';
}

export const buildOf = (service: AnyService) => ({
  version: packageJson.version,
  /** The schema of a store on either engine, once it is open. */
  schema: versionOf(service.steps),
  /** The hash of the commit; '' if it is unknown, as in a copy of a clone without its `.git`. */
  commit: commitOf(new URL('../../../', import.meta.url)),
});

/** Prints a line such as `1.1.0 (schema 2, commit 0b96f5b…)`. */
export async function printVersion(service: AnyService, io: Io): Promise<void> {
  const { version, schema, commit } = buildOf(service);
  await print(io, `${version} (schema ${schema}${commit && `, commit ${commit}`})\n`);
}
