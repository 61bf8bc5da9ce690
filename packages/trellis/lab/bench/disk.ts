import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { type Environment, ROOT } from '../../test/support/service.ts';
import { slowedBy } from '../../test/support/slow-disk.ts';
import type { Scratch } from './servers.ts';

/**
 * Makes an environment in which each fsync of a process takes 5 ms more, as on a cheap cloud disk. It needs Linux.
 *
 * @throws NoCompiler
 */
export function slowDisk(scratch: Scratch): Environment {
  const environment = slowedBy(5, scratch.folder);
  const [fast, slow] = [fsyncTime(scratch), fsyncTime(scratch, environment)];
  if (slow - fast < 4) throw new Error(`LD_PRELOAD does not slow down an fsync here: ${slow} ms`);
  return environment;
}

const FSYNC = `
const { closeSync, fsyncSync, openSync, writeSync } = require('node:fs');
const file = openSync(process.argv[1], 'w');
const times = [];
for (let i = 0; i < 100; i++) {
  writeSync(file, Buffer.alloc(4096));
  const start = performance.now();
  fsyncSync(file);
  times.push(performance.now() - start);
}
closeSync(file);
console.log(times.sort((a, b) => a - b)[50]);
`;

/** The duration of an fsync in the folder, in milliseconds: the median of 100. */
export function fsyncTime({ folder }: Scratch, environment: Environment = {}): number {
  const { stdout, stderr } = spawnSync('scripts/node', ['-e', FSYNC, join(folder, 'fsync')], {
    cwd: ROOT,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return Number(stdout);
}
