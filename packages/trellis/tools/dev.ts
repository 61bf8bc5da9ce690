import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, readdirSync, watch } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { compile } from './check.ts';
import { ExplainedError } from 'trellis-contract/ground';

/** Editors save in several steps, which count as one save within this time. */
const PAUSE_MS = 30;
const SOURCES = /^(?:openapi|redocly)\.yaml$|^\.env$|^tsconfig\b.*\.json$|\.(?:ts|css)$/;
/** Packages, stores, and what begins with a dot: no sources, and many files to watch. */
const IGNORED = /^(?:node_modules|data|coverage|\..*)$/;
/** The first leaves out the tests, which are as many files again; a service without it has all its files checked. */
const CONFIGS = ['tsconfig.dev.json', 'tsconfig.json'];
const MAINS = ['src/main.ts', 'main.ts'];
const TRELLIS = fileURLToPath(new URL('../bin/trellis', import.meta.url));

/**
 * Runs a service until SIGTERM or SIGINT, and restarts it when a file has changed and all checks pass.
 *
 * @throws ExplainedError if the folder has no service
 */
export async function dev(folder: string): Promise<void> {
  const main = MAINS.find((each) => existsSync(join(folder, each)));
  if (main === undefined || !existsSync(join(folder, 'openapi.yaml')))
    throw new ExplainedError(`${folder} has no service: name a folder with openapi.yaml and ${MAINS.join(' or ')}`);
  process.chdir(folder);

  const saves = new EventEmitter();
  // Not `node --watch-path`: it loses a file that an editor replaces, and sends messages of its own from the store's worker.
  const folders = readdirSync('.', { withFileTypes: true }).filter((each) => each.isDirectory());
  for (const each of ['.', ...folders.map(({ name }) => name).filter((name) => !IGNORED.test(name))]) {
    watch(each, { recursive: each !== '.' }, (_event, file) => {
      if (file !== null && SOURCES.test(file)) saves.emit('save');
    });
  }
  const config = CONFIGS.find((each) => existsSync(each)) ?? '.';

  let service: ChildProcess | undefined;
  /** SIGKILL, because idle connections of browsers delay a shutdown in order. What the service acknowledged is on disk. */
  const stop = async (signal: NodeJS.Signals = 'SIGKILL') => {
    if (service?.exitCode !== null || service.signalCode !== null) return;
    const ended = once(service, 'exit');
    service.kill(signal);
    await ended;
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => void stop(signal).then(() => process.exit()));
  }

  for (;;) {
    // Asked for before the steps, so that a file saved during them counts as another save.
    const saved = once(saves, 'save');
    if (
      (await generates()) &&
      (await compile(config, '--incremental', '--tsBuildInfoFile', '.cache/dev.tsbuildinfo'))
    ) {
      await stop();
      service = spawn(process.execPath, [main, 'serve'], { stdio: 'inherit' });
      console.log('dev: starting the service; waiting for changes');
    } else {
      const isRunning = service?.exitCode === null;
      console.log(
        `dev: correct this; ${isRunning ? 'the old service is still running' : 'the service is not running'}`,
      );
    }
    await saved;
    await sleep(PAUSE_MS);
  }
}

/** Runs in a process of its own, which knows nothing of the contract as it was before. */
async function generates(): Promise<boolean> {
  const child = spawn(process.execPath, [TRELLIS, 'generate'], { stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  return code === 0;
}
