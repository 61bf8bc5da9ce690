import { spawn } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, statfsSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import install from './postgres-binaries.ts';

const MEMORY = '/dev/shm';
/** Several times what the servers and files of six workers take. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Whether the temporary files of this process are in memory. */
export const isInMemory = () => tmpdir().startsWith(MEMORY);

function hasRoom(): boolean {
  if (!existsSync(MEMORY)) return false;
  const { bavail, bsize } = statfsSync(MEMORY);
  return Math.min(bavail * bsize, process.availableMemory()) >= ENOUGH_BYTES;
}

/** Removes a folder when its input ends, as it does with this process, however that ends. */
const KEEPER = 'cat > /dev/null; for _ in $(seq 50); do rm -rf "$0" && break; chmod -R u+rwX "$0"; sleep 0.1; done';

/**
 * Jest calls this once for all of its workers. Where memory has room, the temporary files of `npm test` are there: a new
 * database on PostgreSQL is 300 files, and takes a tenth of the time.
 */
export default function setUp(): void {
  // First: the binaries are links to those of the packages, which memory cannot have.
  install();
  if (process.env['TESTS'] !== undefined || process.env['TMPDIR'] !== undefined || !hasRoom()) return;
  process.env['TMPDIR'] = keptFolder(MEMORY);
}

/** Makes a folder that goes with this process. */
export function keptFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'item-store-tests-'));
  // As other temporary folders: servers and tests run as other users.
  chmodSync(folder, 0o1777);
  // In a session of its own, which Ctrl-C does not reach.
  const keeper = spawn('sh', ['-c', KEEPER, folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true });
  keeper.unref();
  if (keeper.stdin instanceof Socket) keeper.stdin.unref();
  return folder;
}
