import { write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** After how long a full pipe is tried again, in milliseconds. */
const FULL_MS = 10;

const writeFile = promisify(write);

/**
 * Writes bytes from an offset on, as many as stdout takes at once, and returns how many.
 *
 * @param ref whether the wait for a full pipe keeps the process alive
 * @throws NodeJS.ErrnoException
 */
export async function writeStdout(bytes: Buffer, offset: number, { ref }: { ref: boolean }): Promise<number> {
  try {
    // Not 1: reading `process.stdout` makes Node set a pipe, a socket or a terminal non-blocking. A write that blocks
    // holds a thread, for which process.exit() waits without end.
    return (await writeFile(process.stdout.fd, bytes, offset)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    await sleep(FULL_MS, undefined, { ref });
    return 0;
  }
}
