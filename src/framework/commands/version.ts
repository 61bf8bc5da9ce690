import { readFileSync } from 'node:fs';
import packageJson from '../../../package.json' with { type: 'json' };
import type { AnyService } from '../service.ts';
import { versionOf } from '../storage/layout.ts';
import type { Io } from './io.ts';
import { print } from './print.ts';

/** Git fills the file in when it makes an archive, and the Dockerfile does when it is given the argument COMMIT. */
const COMMIT = readFileSync(new URL('../commit.txt', import.meta.url), 'utf8').trim();

export const buildOf = (service: AnyService) => ({
  version: packageJson.version,
  /** The schema of a store on either engine, once it is open. */
  schema: versionOf(service.steps),
  /** The hash of the commit; '' in a checkout. */
  commit: /^[\da-f]{40}$/.test(COMMIT) ? COMMIT : '',
});

/** Prints a line such as `1.1.0 (schema 2, commit 0b96f5b…)`. */
export async function printVersion(service: AnyService, io: Io): Promise<void> {
  const { version, schema, commit } = buildOf(service);
  await print(io, `${version} (schema ${schema}${commit && `, commit ${commit}`})\n`);
}
