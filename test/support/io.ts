import { EventEmitter } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import type { Io } from '../../src/framework/commands/io.ts';
import { atEnd, temporaryFolder } from './temporary.ts';

const before = process.cwd();
atEnd(() => {
  process.chdir(before);
});

/**
 * The io of a command in this process, and what it has written. Its stdin is empty. The working folder belongs to the
 * process, so commands that run at the same time share it.
 */
export function captured(env: Io['env'], cwd: string) {
  process.chdir(cwd);
  const file = join(temporaryFolder(), 'stdout');
  const fd = openSync(file, 'w');
  // Not earlier: a late line of a log would go to the next file that gets the number.
  atEnd(() => {
    closeSync(fd);
  });
  let stderr = '';
  const write = (text: string | Uint8Array) => {
    stderr += text.toString();
    return true;
  };
  const { promise: exited, resolve: exit } = Promise.withResolvers<number>();
  const io = Object.assign(new EventEmitter(), {
    env,
    stdin: Readable.from([]),
    stdout: { isTTY: false, columns: 0, fd },
    stderr: { isTTY: false, columns: 0, write },
    exit,
  }) satisfies Io;
  return { io, exited, stdout: () => readFileSync(file, 'utf8'), stderr: () => stderr };
}
