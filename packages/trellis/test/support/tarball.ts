import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect } from '@jest/globals';
import { endWithFile } from './end-with-file.ts';
import { ROOT } from './service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

/** The folder of the Node of this test. */
export const BIN = dirname(process.execPath);
/** A folder outside of this repository, with the tarball. */
export const OUTSIDE = temporaryFolder();

/** The environment without the variables of npm and Jest. Without the others, a machine may not reach the registry. */
const ENVIRONMENT = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(?:npm_|NODE_V8_COVERAGE$|NODE_COMPILE_CACHE$)/i.test(name)),
);

interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs a line in a shell, with the Node of this test, or another one. */
export function sh(folder: string, line: string, bin = BIN): Promise<Ended> {
  const env = { ...ENVIRONMENT, PATH: `${bin}:${ENVIRONMENT['PATH'] ?? ''}` };
  return new Promise((resolve) => {
    const child = execFile('bash', ['--norc', '-c', line], { cwd: folder, env }, (_error, stdout, stderr) => {
      resolve({ code: child.exitCode, output: stdout + stderr });
    });
    endWithFile(child);
  });
}

export const passed = (text?: string) => ({
  code: 0,
  output: text === undefined ? expect.anything() : expect.stringContaining(text),
});

/** Packs the framework. @returns the path of the tarball, and the name by which `OUTSIDE` has it */
export async function pack(): Promise<{ readonly tarball: string; readonly name: string }> {
  const { output } = await sh(ROOT, 'npm run --silent pack');
  const tarball = output.trim().split('\n').at(-1) ?? '';
  const name = basename(tarball);
  cpSync(tarball, join(OUTSIDE, name));
  return { tarball, name };
}
