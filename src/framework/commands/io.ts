import type { Config } from '../config.ts';
import type { Environment } from '../environment.ts';
import type { writeStdout } from '../observability/stdout.ts';
import type { AnyService } from '../service.ts';

/** What a command uses of the process that it runs in. */
export interface Io {
  readonly environment: Environment;
  /** The folder of relative paths. */
  readonly cwd: string;
  readonly stdin: NodeJS.ReadableStream;
  readonly stdout: Pick<NodeJS.WriteStream, 'isTTY' | 'columns'> & { readonly write: typeof writeStdout };
  readonly stderr: Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;
  /** Emits the signals, and uncaughtException. */
  readonly events: Pick<NodeJS.EventEmitter, 'on' | 'off'>;
  /** Ends the process at once. */
  readonly exit: (code: number) => void;
  /** Tells the parent process, if that listens. */
  readonly send?: ((message: string) => void) | undefined;
}

/** What a command works with. */
export interface Job {
  readonly service: AnyService;
  readonly config: Config;
  readonly io: Io;
}
