import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { findPackageJSON } from 'node:module';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { AnyService } from '../service.ts';
import { versionOf } from '../storage/layout.ts';

const HASH = /^[\da-f]{40}$/;

/** The version and the commit of a service are those of the package that its contract belongs to. */
export function buildOf({ contract, steps }: Pick<AnyService, 'contract' | 'steps'>) {
  const found = findPackageJSON(contract);
  // Where no folder above has a package.json, Node 26 returns the contract.
  const file = found?.endsWith('package.json') === true ? pathToFileURL(found) : new URL('package.json', contract);
  const { version = '0.0.0' } = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as { readonly version?: string })
    : {};
  return {
    version,
    /** The schema of a store on either engine, once it is open. */
    schema: versionOf(steps),
    /** The hash of the commit; '' if it is unknown, as in a copy of a clone without its `.git`. */
    commit: commitOf(new URL('.', file)),
  };
}

/**
 * A service may have a commit.txt: Git fills it in when it makes an archive (`export-subst`), a build does for an
 * image. In a clone Git is asked, about this folder only: otherwise it would answer for a clone around the service.
 */
function commitOf(root: URL): string {
  const file = new URL('commit.txt', root);
  const written = existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
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
