import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { watch } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

/** Editors save in several steps, which count as one save within this time. */
const PAUSE_MS = 30;
const SOURCES = /^(?:openapi|redocly)\.yaml$|^\.env$|^tsconfig\b.*\.json$|\.(?:ts|css)$/;
const TSC = ['node_modules/typescript/bin/tsc', '--project', 'tsconfig.dev.json'];
const INCREMENTAL = ['--incremental', '--tsBuildInfoFile', '.cache/dev.tsbuildinfo'];

process.chdir(fileURLToPath(new URL('..', import.meta.url)));

const saves = new EventEmitter();
// Not `node --watch-path`: it loses a file that an editor replaces, and sends messages of its own from the store's worker.
for (const folder of ['.', 'src', 'scripts']) {
  watch(folder, { recursive: folder !== '.' }, (_event, file) => {
    if (file !== null && SOURCES.test(file)) saves.emit('save');
  });
}

let service: ChildProcess | undefined;

/** SIGKILL, because idle connections of browsers delay a shutdown in order. What the service acknowledged is on disk. */
async function stop(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (service?.exitCode !== null || service.signalCode !== null) return;
  const ended = once(service, 'exit');
  service.kill(signal);
  await ended;
}
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => void stop(signal).then(() => process.exit()));
}

function succeeds(...args: readonly string[]): boolean {
  return spawnSync(process.execPath, args, { stdio: 'inherit' }).status === 0;
}

for (;;) {
  // Before the steps, so that a file saved during them counts as another save.
  const saved = once(saves, 'save');
  if (succeeds('scripts/generate.ts', 'openapi.yaml') && succeeds(...TSC, ...INCREMENTAL)) {
    await stop();
    service = spawn(process.execPath, ['src/main.ts', 'serve'], { stdio: 'inherit' });
    console.log('dev: starting the service; waiting for changes');
  } else {
    const isRunning = service?.exitCode === null;
    console.log(`dev: correct this; ${isRunning ? 'the old service is still running' : 'the service is not running'}`);
  }
  await saved;
  await sleep(PAUSE_MS);
}
