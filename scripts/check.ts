import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

process.chdir(fileURLToPath(new URL('..', import.meta.url)));
/** The results of the last run, so that each step checks only what has changed. May be deleted. */
const CACHE = '.cache';

export interface Outcome {
  readonly failed: boolean;
  readonly output: string;
}

let running: ChildProcess | undefined;

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

/** These steps run one after another: together they take half the time of types and lint, which run on another core. */
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
  console.log('check: correct the contract first, then run `npm run generate`: it may cause the other failures');
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
  // oxlint prints a summary even if it finds nothing.
  if (failed || name !== 'cycles') process.stdout.write(output);
}
