import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Compiler } from './compiler.ts';

/** Editors save in several steps, which count as one change within this time. */
const PAUSE_MS = 30;
/** The time for open requests at a restart; idle connections of browsers would stay open for longer. */
const GRACE_MS = 100;

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const compiler = new Compiler('tsconfig.dev.json', '.cache/dev.tsbuildinfo');
/** Whether a source of generated/ has changed. */
let stale = true;

let service: ChildProcess | undefined;
/** Whether this process is stopping the service, and whether a signal is ending this process. */
let [stopping, ending] = [false, false];

async function generate(): Promise<boolean> {
  const child = spawn(process.execPath, ['scripts/generate.ts'], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}

function compile(): boolean {
  const { errors } = compiler.compile();
  process.stdout.write(errors);
  return errors === '';
}

/** Generates, compiles and restarts the service. If a step fails, the running service stays. */
async function follow(): Promise<void> {
  const start = performance.now();
  const state = isRunning() ? 'the old service is still running' : 'the service is not running';
  if (stale) {
    stale = false;
    if (!(await generate())) {
      stale = true;
      say(`correct openapi.yaml, see above; ${state}`);
      return;
    }
  }
  if (!compile()) {
    say(`correct the types, see above; ${state}`);
    return;
  }
  await stop(GRACE_MS);
  if (!ending) service = startService(start);
}

function startService(start: number): ChildProcess {
  const args = ['--max-semi-space-size=16', 'src/main.ts', 'serve'];
  const child = spawn(process.execPath, args, { stdio: ['inherit', 'inherit', 'inherit', 'ipc'] });
  child.once('message', () => {
    say(`serving the change after ${((performance.now() - start) / 1000).toFixed(1)} s`);
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

const saves = new EventEmitter();

function onSave(file: string): void {
  // `generate` reads the contract, and runs the code in src/contract/ and scripts/.
  stale ||= /^(?:openapi|redocly)\.yaml$|^scripts|^src.contract/.test(file);
  saves.emit('save');
}

watch('.', (_event, file) => {
  if (file !== null && /^(?:openapi|redocly)\.yaml$|^\.env$|^tsconfig\b.*\.json$/.test(file)) onSave(file);
});
for (const folder of ['src', 'scripts']) {
  watch(folder, { recursive: true }, (_event, file) => {
    if (file !== null && /\.(?:ts|css)$/.test(file)) onSave(join(folder, file));
  });
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (ending) return;
    ending = true;
    void stop(10_000).then(() => process.exit(0));
  });
}
// However this process ends, the service ends with it.
process.on('exit', () => service?.kill('SIGKILL'));

for (;;) {
  // Before follow(), so that a file saved during it counts as another change.
  const saved = once(saves, 'save');
  // Reading fails while an editor replaces a file; another save follows.
  await follow().catch((error: unknown) => {
    say(Error.isError(error) ? error.message : String(error));
  });
  say('waiting for changes');
  await saved;
  await sleep(PAUSE_MS);
}
