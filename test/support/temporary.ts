import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Calls back when the tests of a file are over or, outside of tests, when the process ends. */
export function atEnd(callback: () => void): void {
  const { afterAll } = globalThis as { readonly afterAll?: (callback: () => void) => void };
  if (afterAll === undefined) process.once('exit', callback);
  else afterAll(callback);
}

const folders: string[] = [];
atEnd(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A new folder, removed when the tests of the file are over. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plant-store-'));
  folders.push(folder);
  return folder;
}
