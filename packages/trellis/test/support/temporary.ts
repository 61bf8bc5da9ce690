import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Callback = () => void | Promise<void>;

/**
 * Calls back when the tests of a file are over, the last callback first, also if the file throws at its top level.
 * Outside of tests, calls back when the process ends.
 */
export function atEnd(callback: Callback): void {
  // environment.ts sets it.
  const { atFileEnd } = import.meta as { readonly atFileEnd?: (callback: Callback) => void };
  if (atFileEnd === undefined) process.once('exit', () => void callback());
  else atFileEnd(callback);
}

const folders: string[] = [];
atEnd(() => {
  // A process that was killed may still be writing.
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
});

/** A new folder, removed when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'item-store-'));
  folders.push(folder);
  return folder;
}
