import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, 'peers');

interface Manifest {
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
}
const read = (file: string) => JSON.parse(readFileSync(file, 'utf8')) as Manifest;

/** The packages that only the bench needs, with their exact versions. */
export const PEERS = Object.entries(read(join(FOLDER, 'package.json')).dependencies);

/** Installs these packages beside the peers unless they are there. @throws Error if npm fails */
export function installPeers(): void {
  const isThere = ([name, version]: readonly [string, string]) => {
    const manifest = join(FOLDER, 'node_modules', name, 'package.json');
    return existsSync(manifest) && read(manifest).version === version;
  };
  if (PEERS.every(isThere)) return;
  console.error(`npm ci: the bench installs ${PEERS.map(([name]) => name).join(' and ')}`);
  const { status } = spawnSync('npm', ['ci'], { cwd: FOLDER, stdio: ['ignore', process.stderr, process.stderr] });
  if (status !== 0) throw new Error(`the peers cannot be installed: run \`npm ci\` in ${FOLDER}`);
}

/** Compiles the peers, which the compiler of the project leaves out, as their packages may be missing. @throws Error */
export function checkPeers(): void {
  const tsc = join(import.meta.dirname, '../../../../node_modules/typescript/bin/tsc');
  const { status } = spawnSync(process.execPath, [tsc, '--project', FOLDER], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (status !== 0) throw new Error('the peers do not compile');
}
