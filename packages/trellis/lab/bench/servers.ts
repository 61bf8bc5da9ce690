import { type ChildProcess, fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { freePort } from '../../test/support/port.ts';
import { createItem, type Environment, ROOT } from '../../test/support/service.ts';
import { until } from '../../test/support/until.ts';
import type { Load, LoadMessage, LoadResult } from './load.ts';
import type { Usage } from './usage.ts';

const FIRST_ANSWER_MS = 30_000;
/** How long a server may take to report its usage after the load, in milliseconds. */
const ANSWER_MS = 10_000;

const MAIN = 'packages/trellis/lab/bench/service/main.ts';
/** The service of the bench, as the script in package.json's `bin` runs a service: with the same flags of Node. */
const { bin } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { bin: Record<string, string> };
const [script = ''] = Object.values(bin);
const [, flags = ''] = /scripts\/node" (.*?) -- /.exec(readFileSync(join(ROOT, script), 'utf8')) ?? [];
const service = ['scripts/node', ...flags.split(' '), '--', MAIN, 'serve'];
const peer = (name: string) => ['scripts/node', `packages/trellis/lab/bench/peers/${name}.ts`];

/** The service, and its peers, each described in its own file. */
const SERVERS = {
  service,
  limit: peer('limit'),
  bare: peer('bare'),
  fastify: peer('fastify'),
  'fastify-commit': peer('fastify-commit'),
  'openapi-backend': peer('openapi-backend'),
  'express-openapi-validator': peer('express-openapi-validator'),
  'service-postgres': service,
  'fastify-postgres': peer('fastify-postgres'),
} as const;
export type ServerName = keyof typeof SERVERS;
export const NAMES = Object.keys(SERVERS) as ServerName[];
/** True if the server uses PostgreSQL; otherwise it uses SQLite. */
export const onPostgres = (server: ServerName) => server.endsWith('-postgres');

/** Sets these settings to an empty text, so that neither the environment nor an `.env` file changes the result. */
const UNSET =
  'BASE_URL TOKEN_FILE ADMIN_PORT RATE_LIMIT CORS_ORIGINS TRUST_PROXY JWT_ISSUER JWT_AUDIENCE JWT_SCOPE JWKS_URL';
const SETTINGS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'info',
  ...Object.fromEntries(UNSET.split(' ').map((name) => [name, ''])),
};

/** Whether taskset (of util-linux) can give the server and the load a core each, so that neither slows the other. */
export const canPin = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;

function onCore(core: number, isPinned: boolean, command: readonly string[]): [string, string[]] {
  const [program = '', ...args] = isPinned ? ['taskset', '-c', String(core), ...command] : command;
  return [program, args];
}

export interface Surroundings {
  /** More environment variables for the server, such as LD_PRELOAD. */
  readonly environment?: Environment;
  readonly isPinned?: boolean;
}

/** A store, and a folder for the log of its server. */
export interface Place {
  readonly folder: string;
  readonly url: string;
  /** Runs one statement while no server uses the store. */
  query(sql: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
}

const folders = new Set<string>();
const running = new Set<ChildProcess>();
/** Functions that kill the other processes of the bench. They do not wait, because this process is about to end. */
export const endings = new Set<() => void>();

/** Kills the processes and removes the folders of an interrupted run. */
export function cleanUp(): void {
  for (const child of running) child.kill('SIGKILL');
  for (const end of endings) end();
  // The removal of a folder is tried again, because a killed process may take a moment to end.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** Makes a folder on the disk of the project, because the system's temporary folder may be in memory. */
export class Scratch implements Disposable, Place {
  readonly folder: string;
  /** The path of a SQLite store. */
  readonly database: string;
  readonly url: string;

  constructor() {
    mkdirSync(join(ROOT, 'data'), { recursive: true });
    this.folder = mkdtempSync(join(ROOT, 'data/bench-'));
    folders.add(this.folder);
    this.database = join(this.folder, 'items.db');
    this.url = `sqlite:${this.database}`;
  }

  query(sql: string): Promise<Record<string, unknown>[]> {
    using database = new DatabaseSync(this.database);
    return Promise.resolve(database.prepare(sql).all());
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
    folders.delete(this.folder);
  }
}

export interface Measured extends LoadResult {
  /** The CPU time that all threads of the server use for one answer. */
  readonly cpuMicroseconds: number;
  /** The peak memory of the process since its start. */
  readonly peakBytes: number;
  readonly profile: Usage['profile'];
}

/** A server under test, in a process of its own. */
export class RunningServer implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly log: string;
  private readonly port: number;
  private readonly isPinned: boolean;
  /** The token of all requests. The service looks it up in its store; the peers only compare it with this text. */
  private readonly token: string;
  /** The first sequential id: above all random ids, with as many digits as most of them. */
  private nextId = 2 ** 52;

  private constructor(name: ServerName, place: Place, token: string, port: number, surroundings: Surroundings) {
    const { environment, isPinned = canPin } = surroundings;
    this.isPinned = isPinned;
    this.log = join(place.folder, 'log');
    this.port = port;
    this.token = token;
    const NODE_OPTIONS = `--import=${new URL('./usage.ts', import.meta.url).href}`;
    const own = { ...environment, NODE_OPTIONS, DATABASE_URL: place.url, PORT: String(port), TOKEN: token };
    const file = openSync(this.log, 'a');
    const [program, args] = onCore(0, isPinned, SERVERS[name]);
    const env = { ...process.env, ...SETTINGS, ...own };
    this.child = spawn(program, args, { cwd: ROOT, env, stdio: ['ignore', file, file, 'ipc'] });
    closeSync(file);
    running.add(this.child);
  }

  /**
   * Makes the tables unless they exist, starts a server, and waits for its first answer.
   *
   * @param filling the statements that then fill the tables
   */
  static async start(
    name: ServerName,
    place: Place,
    surroundings: Surroundings = {},
    filling: readonly string[] = [],
  ): Promise<RunningServer> {
    const token = makeToken(place.url);
    for (const sql of filling) await place.query(sql);
    const server = new RunningServer(name, place, token, await freePort(), surroundings);
    try {
      await server.firstAnswer();
      return server;
    } catch (error) {
      await server[Symbol.asyncDispose]();
      throw new Error(`${name}: ${String(error)}\n${server.said()}`, { cause: error });
    }
  }

  private async firstAnswer(): Promise<void> {
    const at = { url: `http://127.0.0.1:${this.port}`, token: this.token };
    await until(async () => {
      if (this.child.exitCode !== null) throw new Error('it ended');
      const answer = await createItem(at, '{"id":0,"name":"Monstera deliciosa"}').catch(() => undefined);
      // The service answers 503 before its store is open.
      if (answer !== undefined && ![200, 503].includes(answer.status)) throw new Error(await answer.text());
      return answer?.ok;
    }, FIRST_ANSWER_MS);
  }

  /** Puts a load on the server, and asks for its usage after the warm-up and at the end. */
  async measure(load: Omit<Load, 'port' | 'token' | 'firstId'>): Promise<Measured> {
    const options: Load = { ...load, port: this.port, token: this.token, firstId: this.nextId };
    const [execPath, execArgv] = onCore(1, this.isPinned, [process.execPath]);
    const generator = fork(new URL('./load.ts', import.meta.url), [JSON.stringify(options)], { execPath, execArgv });
    const usage: Usage[] = [];
    const result = await new Promise<LoadResult>((resolve, reject) => {
      const early = (what: string) => () => reject(new Error(`${what} ended early: ${this.said()}`));
      generator.once('exit', early('the load generator'));
      this.child.once('exit', early('the server'));
      generator.on('message', (message: LoadMessage) => {
        // The server answers each message with its usage, in order.
        this.child.send('usage');
        if (message.state !== 'done') return;
        generator.removeAllListeners('exit');
        resolve(message.result);
      });
      // Node keeps the server's first message, 'listening', until there is a listener.
      this.child.on('message', (used: Usage | 'listening') => {
        if (used !== 'listening') usage.push(used);
      });
    });
    const [before, after] = await until(() => usage.length === 2 && usage, ANSWER_MS);
    this.child.removeAllListeners('message').removeAllListeners('exit');
    if (result.failures > 0)
      throw new Error(`${result.failures} requests of ${load.operation} had another answer: ${this.said()}`);
    this.nextId = result.nextId;
    if (before === undefined || after === undefined) throw new Error('the server did not say what it used');
    const cpuMicroseconds = (after.cpuMicroseconds - before.cpuMicroseconds) / result.answers;
    return { ...result, cpuMicroseconds, peakBytes: after.peakBytes, profile: after.profile };
  }

  private said(): string {
    return readFileSync(this.log, 'utf8').slice(-1000);
  }

  /** Kills the server, which need not close its store, as no process uses that store again. */
  async [Symbol.asyncDispose](): Promise<void> {
    const { child } = this;
    if (child.pid !== undefined && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    running.delete(child);
  }
}

function makeToken(url: string): string {
  const { stdout, stderr } = spawnSync('scripts/node', [MAIN, 'token', 'create', 'bench'], {
    cwd: ROOT,
    env: { ...process.env, DATABASE_URL: url },
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return stdout.trim();
}
