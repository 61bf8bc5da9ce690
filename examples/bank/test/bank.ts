import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from '@jest/globals';
import { type EngineName, ENGINES, startOn } from 'trellis/testing';
import { bank } from '../service/index.ts';
import { MAIN } from './client.ts';

export { ENGINES };

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** Calls back after the tests of the file, the last callback first. */
export function atEnd(end: () => unknown): void {
  ends.push(end);
}

/** Starts the bank on a store of its own. */
export async function startBank(engine: EngineName, settings: Readonly<Record<string, string>> = {}) {
  // A busy bank answers 503, which clients repeat.
  const instance = await startOn(engine, bank, { LOG_LEVEL: 'fatal', ...settings });
  atEnd(instance.stop);
  const { url, databaseUrl } = instance;
  return { instance, url, databaseUrl, token: await instance.token(), tokenFor: instance.token };
}

/** A new folder, removed after the tests of the file. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'bank-'));
  atEnd(() => {
    rmSync(folder, { recursive: true, force: true });
  });
  return folder;
}

/** Runs a command of the bank, as an operator does. */
export function run(args: readonly string[], settings: Readonly<Record<string, string>>) {
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  // In a folder that has no .env.
  const options = { env: { PATH, HOME, ...cache, ...settings }, cwd: tmpdir() };
  return new Promise<{ code: number | null; stdout: string; stderr: string }>((resolve) => {
    const child = execFile(process.execPath, [fileURLToPath(MAIN), ...args], options, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, stdout, stderr });
    });
  });
}
