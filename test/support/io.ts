import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { Io } from '../../src/framework/commands/io.ts';

/** The io of a command in this process, and what it has written. */
export function captured(environment: Io['environment'], cwd: string) {
  const output = { stdout: '', stderr: '' };
  const toStdout = (bytes: Buffer, offset: number) => {
    output.stdout += bytes.toString('utf8', offset);
    return Promise.resolve(bytes.length - offset);
  };
  const toStderr = (text: string | Uint8Array) => {
    output.stderr += text.toString();
    return true;
  };
  const io = {
    environment,
    cwd,
    stdin: Readable.from([]),
    stdout: { isTTY: false, columns: 0, write: toStdout },
    stderr: { isTTY: false, columns: 0, write: toStderr },
    events: new EventEmitter(),
    exit: () => undefined,
  } satisfies Io;
  return { io, output };
}
