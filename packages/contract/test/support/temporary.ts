import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

type Callback = () => void | Promise<void>;

/** What environment.ts gives to the modules of a test file. */
export interface TestFile {
  readonly atEnd: (callback: Callback) => void;
  /** Starts the server of this Jest worker, of which support/postgres.ts makes a `PostgresServer`. */
  readonly postgres: () => Promise<{ readonly folder: string; readonly port: number; url(): string }>;
}

// runtime.ts has filed it by the query that the modules of a test file have.
const filed = Reflect.get(globalThis, Symbol.for(new URL(import.meta.url).search)) as
  { readonly testFile: TestFile } | undefined;
/** Undefined outside of tests. */
export const testFile = filed?.testFile;

/**
 * Calls back when the tests of a file are over, the last callback first, also if the file throws at its top level.
 * Outside of tests, calls back when the process ends.
 */
export function atEnd(callback: Callback): void {
  if (testFile === undefined) process.once('exit', () => void callback());
  else testFile.atEnd(callback);
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
