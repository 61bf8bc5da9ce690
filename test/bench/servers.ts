import type { ChildProcess } from 'node:child_process';
import { fork, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Load, LoadMessage, LoadResult } from './load.ts';
import type { Usage } from './usage.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE = 'scripts/node';
const FIRST_ANSWER_MS = 30_000;

/** The service as `npm start` runs it, and what it is measured against; see the comment of each file. */
export const SERVERS = {
  service: [NODE, 'src/main.ts', 'serve'],
  bare: [NODE, 'test/bench/peers/bare.ts'],
  fastify: [NODE, 'test/bench/peers/fastify.ts'],
  'fastify-commit': [NODE, 'test/bench/peers/fastify-commit.ts'],
  'openapi-backend': [NODE, 'test/bench/peers/openapi-backend.ts'],
  'express-openapi-validator': [NODE, 'test/bench/peers/express-openapi-validator.ts'],
} as const;
export type ServerName = keyof typeof SERVERS;

/** Whether server and load get a core each (taskset of util-linux), so that they do not disturb each other. */
export const pinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;

function onCore(core: number, command: readonly string[]): [string, string[]] {
  const [program = '', ...args] = pinned ? ['taskset', '-c', String(core), ...command] : command;
  return [program, args];
}

/** A store of its own in a new folder, on the disk that the service would use: a system's temporary one may be memory. */
export class Scratch implements Disposable {
  readonly folder: string;
  readonly database: string;

  constructor() {
    mkdirSync(join(ROOT, 'data'), { recursive: true });
    this.folder = mkdtempSync(join(ROOT, 'data/bench-'));
    this.database = join(this.folder, 'plants.db');
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

export interface Measured extends LoadResult {
  /** Of the server's process, all its threads, for one create. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
}

/** A server that is measured, as a process of its own. */
export class RunningServer implements AsyncDisposable {
  /** From the start of the process to its first 200. */
  readonly startedAfterMs: number;
  private readonly child: ChildProcess;
  private readonly port: number;
  private readonly token: string;
  private nextId = 1;

  private constructor(child: ChildProcess, port: number, token: string, startedAfterMs: number) {
    this.child = child;
    this.port = port;
    this.token = token;
    this.startedAfterMs = startedAfterMs;
  }

  /** @param environment such as LD_PRELOAD */
  static async start(
    command: readonly string[],
    { folder, database }: Scratch,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<RunningServer> {
    const port = await freePort();
    const store = { DATABASE: database, DATABASE_URL: `sqlite:${database}` };
    const token = makeToken(store);
    const env = {
      ...process.env,
      ...environment,
      ...store,
      PORT: String(port),
      TOKEN: token,
      NODE_OPTIONS: `--import=${new URL('./usage.ts', import.meta.url).href}`,
    };
    const log = openSync(join(folder, 'log'), 'a');
    const begun = performance.now();
    const [program, args] = onCore(0, command);
    // A group of its own: npm is ended with what it has started.
    const child = spawn(program, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', log, log, 'ipc'] });
    closeSync(log);
    try {
      await firstAnswer(child, port, token);
    } catch (error) {
      kill(child);
      throw new Error(`${command.join(' ')}: ${String(error)}\n${readFileSync(join(folder, 'log'), 'utf8')}`, {
        cause: error,
      });
    }
    return new RunningServer(child, port, token, performance.now() - begun);
  }

  /** Puts a load on the server, and reads off what the server used after the warm-up. */
  async measure(load: Omit<Load, 'port' | 'token' | 'firstId'>): Promise<Measured> {
    const options: Load = { ...load, port: this.port, token: this.token, firstId: this.nextId };
    const [execPath, execArgv] = onCore(1, [process.execPath]);
    const generator = fork(new URL('./load.ts', import.meta.url), [JSON.stringify(options)], { execPath, execArgv });
    let before: Promise<Usage> | undefined;
    const result = await new Promise<LoadResult>((resolve, reject) => {
      generator.once('exit', () => {
        reject(new Error('the load generator ended early'));
      });
      generator.on('message', (message: LoadMessage) => {
        if (message.state === 'warm') before = this.usage();
        else resolve(message.result);
      });
    });
    const [first, { cpuMicroseconds, residentBytes, peakBytes }] = await Promise.all([before, this.usage()]);
    if (first === undefined || result.failures > 0) {
      throw new Error(`${String(result.failures)} requests were not answered with 200`);
    }
    this.nextId = result.nextId;
    return {
      ...result,
      cpuMicroseconds: (cpuMicroseconds - first.cpuMicroseconds) / result.creates,
      residentBytes,
      peakBytes,
    };
  }

  private async usage(): Promise<Usage> {
    const answer = once(this.child, 'message');
    this.child.send('usage');
    const [usage] = (await answer) as [Usage];
    return usage;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const exit = once(this.child, 'exit');
    kill(this.child);
    await exit;
  }
}

function kill({ pid, exitCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null) process.kill(-pid, 'SIGKILL');
}

/** A token that lies in the store, as those of clients do: peers compare with it, the service looks it up. */
function makeToken(store: Readonly<Record<string, string>>): string {
  const { stdout, stderr } = spawnSync(NODE, ['src/main.ts', 'token', 'create', 'bench'], {
    cwd: ROOT,
    env: { ...process.env, ...store },
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return stdout.trim();
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  if (typeof address !== 'object' || address === null) throw new Error('no port is free');
  return address.port;
}

async function firstAnswer(child: ChildProcess, port: number, token: string): Promise<void> {
  const deadline = performance.now() + FIRST_ANSWER_MS;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${String(port)}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
      body: '{"id":0,"name":"Monstera deliciosa","tag":"tropical"}',
    }).catch(() => undefined);
    if (response?.status === 200) return;
    if (response !== undefined) throw new Error(await response.text());
    if (child.exitCode !== null) throw new Error('it ended');
    if (performance.now() > deadline) throw new Error('it did not answer');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
