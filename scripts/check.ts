import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
/** What the last run found: each step looks only at what has changed since. Without it, all is checked anew. */
const CACHE = '.cache';

/** What a step says. */
export interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

let running: ChildProcess | undefined;

/** Runs a program of this project to its end. */
async function run(...args: readonly string[]): Promise<Outcome> {
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  running = child;
  const ended = once(child, 'exit') as Promise<[code: number | null]>;
  const [stdout, stderr, [code]] = await Promise.all([text(child.stdout), text(child.stderr), ended]);
  return { failed: code !== 0, output: stdout + stderr };
}

async function typesAndLint(): Promise<readonly [types: Outcome, lint: Outcome]> {
  const workerData = { buildInfo: join(CACHE, 'types.tsbuildinfo'), memory: join(CACHE, 'lint.json') };
  const worker = new Worker(new URL('types-and-lint.ts', import.meta.url), { workerData });
  const [outcomes] = (await once(worker, 'message')) as [readonly [types: Outcome, lint: Outcome]];
  return outcomes;
}

/** One after another: together they take a core half as long as types and lint take another. */
async function others() {
  const cached = ['--cache', '--cache-strategy', 'content', '--cache-location', join(CACHE, 'style')];
  return {
    contract: await run('scripts/generate.ts', '--check'),
    owasp: await run('scripts/lint-contract.ts'),
    cycles: await run('node_modules/oxlint/bin/oxlint', 'src', 'scripts', 'test'),
    style: await run('node_modules/prettier/bin/prettier.cjs', '--check', '--log-level', 'warn', ...cached, '.'),
  };
}

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    running?.kill();
    process.exit(1);
  });
}

const [{ contract, owasp, cycles, style }, [types, lint]] = await Promise.all([others(), typesAndLint()]);
if (contract.failed) {
  console.log('check: mend the contract first and run `npm run generate`: what follows may come from it alone');
}
for (const [name, { failed, output }] of [
  ['contract', contract],
  ['OWASP', owasp],
  ['types', types],
  ['lint', lint],
  ['cycles', cycles],
  ['style', style],
] as const) {
  console.log(`check: ${name}: ${failed ? 'FAILED' : 'passed'}`);
  if (failed) process.exitCode = 1;
  // oxlint tells how many files it has read, also where all is well.
  if (failed || name !== 'cycles') process.stdout.write(output);
}
