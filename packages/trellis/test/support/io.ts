import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { Io } from '../../src/terminal/io.ts';
import { atEnd } from '../../../contract/test/support/temporary.ts';

const before = process.cwd();
atEnd(() => {
  process.chdir(before);
});

/**
 * The io of a command in this process, which reads `input`, and what it has written. The working folder belongs to the
 * process, so commands that run at the same time share it.
 */
export function captured(env: Io['env'], cwd: string, input = '') {
  process.chdir(cwd);
  const stream = () => {
    let text = '';
    const write = (more: string | Uint8Array) => {
      text += more.toString();
      return true;
    };
    return { isTTY: false, columns: 0, write, text: () => text };
  };
  const [stdout, stderr] = [stream(), stream()];
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const kill = () => {
    exit(137);
  };
  const streams = { stdin: Readable.from(input === '' ? [] : [Buffer.from(input)]), stdout, stderr };
  const io = Object.assign(new EventEmitter(), { env, ...streams, exit, pid: 0, kill }) satisfies Io;
  return { io, exited, stdout: stdout.text, stderr: stderr.text };
}
