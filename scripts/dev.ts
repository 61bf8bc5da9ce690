import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { watch } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { generateTypes } from './generated-types.ts';
import { TypeCheck } from './type-check.ts';

/** Editors save in several steps; what comes within this time belongs together, in milliseconds. */
const PAUSE_MS = 30;
/** How long requests under way may take when the service is started anew: connections that browsers keep would take longer. */
const GRACE_MS = 100;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const types = new TypeCheck();
let service: ChildProcess | undefined;
/** Whether the service is told to end by this process, and this process by somebody. */
let [stopping, ending] = [false, false];

/** Runs a program of this project to its end; whether it succeeded. */
async function succeeds(...args: readonly string[]): Promise<boolean> {
  const [code] = (await once(spawn(process.execPath, args, { stdio: 'inherit' }), 'exit')) as [number | null];
  return code === 0;
}

/** What scripts/generate.ts is going to write, unless it finds a fault. */
async function typesToCome(): Promise<string | undefined> {
  try {
    return await generateTypes(await readFile('openapi.yaml', 'utf8'));
  } catch {
    // It will name the fault.
    return undefined;
  }
}

/** Brings everything in line with what was saved, and serves it; or says why not. */
async function follow(): Promise<void> {
  const start = performance.now();
  const goesOn = isRunning() ? 'the service goes on as it was' : 'nothing is served';
  // Also if the contract was not saved: the code that is to hold to it may have been.
  const generating = succeeds('scripts/generate.ts');
  // Both take half a second or more: the types are checked while the contract is.
  const faults = types.run(await typesToCome());
  if (!(await generating)) {
    say(`openapi.yaml is to be mended, see above; ${goesOn}`);
    return;
  }
  if (faults !== '') {
    process.stdout.write(faults);
    say(`the types are to be mended, see above; ${goesOn}`);
    return;
  }
  await stop(GRACE_MS);
  if (!ending) service = startService(start);
}

function startService(start: number): ChildProcess {
  const args = ['--max-semi-space-size=16', 'src/main.ts', 'serve'];
  const child = spawn(process.execPath, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  child.once('message', () => {
    say(`served, ${((performance.now() - start) / 1000).toFixed(1)} s after it was saved`);
  });
  child.once('exit', () => {
    if (child === service && !stopping) say('the service has ended, see above');
  });
  return child;
}

function isRunning(): boolean {
  return service?.exitCode === null && service.signalCode === null;
}

async function stop(withinMs: number): Promise<void> {
  if (service === undefined || !isRunning()) return;
  stopping = true;
  const ended = once(service, 'exit');
  service.kill('SIGTERM');
  if ((await Promise.race([ended, sleep(withinMs, 'late', { ref: false })])) === 'late') service.kill('SIGKILL');
  await ended;
  stopping = false;
}

function say(what: string): void {
  console.log(`dev: ${what}`);
}

let saved = Promise.withResolvers<undefined>();

function onSave(): void {
  saved.resolve(undefined);
}

watch('.', (_event, file) => {
  if (file === 'openapi.yaml' || file === '.env' || file === 'tsconfig.json') onSave();
});
for (const folder of ['src', 'scripts']) {
  watch(folder, { recursive: true }, (_event, file) => {
    if (/\.(?:ts|css)$/.test(file ?? '')) onSave();
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    void stop(10_000).then(() => process.exit(0));
  });
}
// Whatever ends this process ends what it has started.
process.on('exit', () => service?.kill('SIGKILL'));

for (;;) {
  // What is saved from now on is another change.
  saved = Promise.withResolvers();
  // What is gone or half written is there again a moment later.
  await follow().catch((error: unknown) => {
    say(Error.isError(error) ? error.message : String(error));
  });
  say('waiting for openapi.yaml and the sources to be saved');
  await saved.promise;
  await sleep(PAUSE_MS);
}
