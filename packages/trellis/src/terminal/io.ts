import type { Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { Stdout } from '../observability/stdout.ts';
import type { AnyService } from '../service.ts';

/** What a command uses of the process that it runs in: `process` is an Io, and a test may give its own. */
export interface Io extends Pick<NodeJS.EventEmitter, 'on' | 'off'> {
  readonly env: Environment;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & Stdout;
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & Stdout;
  exit(code: number): unknown;
  readonly pid: number;
  kill(pid: number, signal: 'SIGKILL'): unknown;
  /** Sends a message to the parent process, if there is one that listens. */
  send?(message: string): unknown;
}

export interface Job {
  readonly service: AnyService;
  readonly config: Config;
  readonly io: Io;
}
