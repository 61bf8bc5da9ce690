import type { ChildProcess } from 'node:child_process';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Load, LoadMessage, LoadResult } from './load.ts';
import type { Environment, Launched, Scratch } from './processes.ts';
import { end, launch, onCore, ROOT } from './processes.ts';
import type { Usage } from './usage.ts';

const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: { start: string } };
const peer = (name: string) => ['scripts/node', `test/bench/peers/${name}.ts`];

/** The service as `npm start` runs it, and what it is measured against: see the comment of each file. */
export const SERVERS = {
  service: manifest.scripts.start.replace(/^exec /, '').split(' '),
  bare: peer('bare'),
  fastify: peer('fastify'),
  'fastify-commit': peer('fastify-commit'),
  'openapi-backend': peer('openapi-backend'),
  'express-openapi-validator': peer('express-openapi-validator'),
} as const;
export type ServerName = keyof typeof SERVERS;

export interface Measured extends LoadResult {
  /** Of the server's process, all its threads, for one create. */
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
}

/** A server that is measured, as a process of its own. */
export class RunningServer implements AsyncDisposable {
  private readonly child: ChildProcess;
  private readonly port: number;
  private readonly token: string;
  /** Beyond the random ones, and as long. */
  private nextId = 2 ** 52;

  private constructor({ child, port, token }: Launched) {
    this.child = child;
    this.port = port;
    this.token = token;
  }

  /** @param environment such as LD_PRELOAD */
  static async start(
    command: readonly string[],
    scratch: Scratch,
    environment: Environment = {},
  ): Promise<RunningServer> {
    const options = `--import=${new URL('./usage.ts', import.meta.url).href}`;
    return new RunningServer(await launch(command, scratch, { ...environment, NODE_OPTIONS: options }));
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

  [Symbol.asyncDispose](): Promise<void> {
    return end(this.child);
  }
}
