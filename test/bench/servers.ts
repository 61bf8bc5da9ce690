import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs';
import { join } from 'node:path';
import type { Load, LoadMessage, LoadResult } from './load.ts';
import { end, type Environment, launch, type Launched, onCore, type Place, ROOT } from './processes.ts';
import type { Usage } from './usage.ts';

/** How long a server may take to say what it used, when the load is over. */
const ANSWER_MS = 10_000;

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
const service = manifest.scripts.start.replace(/^exec /, '').split(' ');
const peer = (name: string) => ['scripts/node', `test/bench/peers/${name}.ts`];

/** The service as `npm start` runs it, and what it is measured against: see the comment of each file. */
export const SERVERS = {
  service,
  bare: peer('bare'),
  fastify: peer('fastify'),
  'fastify-commit': peer('fastify-commit'),
  'openapi-backend': peer('openapi-backend'),
  'express-openapi-validator': peer('express-openapi-validator'),
  'service-postgres': service,
  'fastify-postgres': peer('fastify-postgres'),
  'service-metrics': service,
  'service-jwt': service,
  'service-rate-limit': service,
} as const;
export type ServerName = keyof typeof SERVERS;

/** Those whose store is on PostgreSQL; that of the others is on SQLite. */
const POSTGRES: readonly ServerName[] = ['service-postgres', 'fastify-postgres'];
export const onPostgres = (server: ServerName) => POSTGRES.includes(server);
export const NAMES = Object.keys(SERVERS) as ServerName[];

export interface Measured extends LoadResult {
  /** Of the server's process, all its threads, for one create. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  /** The most so far, since the process was started. */
  readonly peakBytes: number;
}

/** A server that is measured, as a process of its own. */
export class RunningServer implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly log: string;
  private readonly port: number;
  private readonly token: string;
  /** Beyond the random ones, and as long. */
  private nextId = 2 ** 52;

  private constructor({ child, port, token }: Launched, log: string) {
    this.log = log;
    this.child = child;
    this.port = port;
    this.token = token;
  }

  /** @param environment such as LD_PRELOAD */
  static async start(command: readonly string[], place: Place, environment: Environment = {}): Promise<RunningServer> {
    const options = `--import=${new URL('./usage.ts', import.meta.url).href}`;
    const launched = await launch(command, place, { ...environment, NODE_OPTIONS: options });
    return new RunningServer(launched, join(place.folder, 'log'));
  }

  /** Puts a load on the server, and reads off what the server used after the warm-up. */
  async measure(load: Omit<Load, 'port' | 'token' | 'firstId'>): Promise<Measured> {
    const options: Load = { ...load, port: this.port, token: this.token, firstId: this.nextId };
    const [execPath, execArgv] = onCore(1, [process.execPath]);
    const generator = fork(new URL('./load.ts', import.meta.url), [JSON.stringify(options)], { execPath, execArgv });
    const usage: Usage[] = [];
    const result = await new Promise<LoadResult>((resolve, reject) => {
      const early = (what: string) => () => {
        reject(new Error(`${what} ended early: ${this.said()}`));
      };
      generator.once('exit', early('the load generator'));
      this.child.once('exit', early('the server'));
      generator.on('message', (message: LoadMessage) => {
        // The server answers in the order in which it is asked.
        this.child.send('usage');
        if (message.state !== 'done') return;
        generator.removeAllListeners('exit');
        resolve(message.result);
      });
      // What a server said when it listened is kept for whoever listens first.
      this.child.on('message', (used: Usage | 'listening') => {
        if (used !== 'listening') usage.push(used);
      });
    });
    while (usage.length < 2) await once(this.child, 'message', { signal: AbortSignal.timeout(ANSWER_MS) });
    this.child.removeAllListeners('message').removeAllListeners('exit');
    if (result.failures > 0) {
      throw new Error(`${result.failures} requests were not answered with 200: ${this.said()}`);
    }
    this.nextId = result.nextId;
    const [before, after] = usage;
    if (before === undefined || after === undefined) throw new Error('the server did not say what it used');
    const { residentBytes, peakBytes } = after;
    const cpuMicroseconds = (after.cpuMicroseconds - before.cpuMicroseconds) / result.creates;
    return { ...result, cpuMicroseconds, residentBytes, peakBytes };
  }

  /** The end of what the server printed. */
  private said(): string {
    const log = openSync(this.log, 'r');
    const bytes = Buffer.alloc(1000);
    const length = readSync(log, bytes, 0, bytes.length, Math.max(0, fstatSync(log).size - bytes.length));
    closeSync(log);
    return bytes.toString('utf8', 0, length);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.child);
  }
}
