import { write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

const FULL_MS = 10;

const writeFile = promisify(write);

/**
 * Writes as many bytes as stdout accepts at once, and returns their number.
 *
 * @param ref whether the wait for a full pipe keeps the process alive
 */
export async function writeStdout(
  stdout: { readonly fd: number },
  bytes: Buffer,
  offset: number,
  { ref }: { ref: boolean },
): Promise<number> {
  try {
    // Not 1: only `process.stdout` makes Node set pipes, sockets and terminals non-blocking. A blocked write would hold
    // a thread, for which process.exit() waits for ever.
    return (await writeFile(stdout.fd, bytes, offset)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    await sleep(FULL_MS, undefined, { ref });
    return 0;
  }
}
