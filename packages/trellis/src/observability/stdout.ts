import { fstatSync, statSync, write } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** `fd` is that of a file, a pipe, a socket or a terminal. A stream without `fd` takes all bytes at once. */
export type Stdout = Pick<NodeJS.WriteStream, 'write'> & { readonly fd?: number };

const FULL_MS = 10;

const writeFile = promisify(write);

/** Whether all that is written is lost: Node opens /dev/null in place of a stdout that is closed. */
export function isNowhere({ fd }: Stdout): boolean {
  if (fd === undefined) return false;
  const { rdev } = fstatSync(fd);
  return rdev !== 0 && rdev === statSync('/dev/null', { throwIfNoEntry: false })?.rdev;
}

/**
 * Writes as many bytes as stdout accepts at once, and returns their number.
 *
 * @param ref whether the wait for a full pipe keeps the process alive
 */
export async function writeStdout(
  stdout: Stdout,
  bytes: Buffer,
  offset: number,
  { ref }: { ref: boolean },
): Promise<number> {
  if (stdout.fd === undefined) {
    stdout.write(bytes.subarray(offset));
    return bytes.length - offset;
  }
  try {
    // Not the descriptor 1: only `process.stdout` makes Node set pipes, sockets and terminals non-blocking. A blocked
    // write would hold a thread, for which process.exit() waits for ever.
    return (await writeFile(stdout.fd, bytes, offset)).bytesWritten;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error;
    await sleep(FULL_MS, undefined, { ref });
    return 0;
  }
}
