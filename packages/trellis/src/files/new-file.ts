import { randomBytes } from 'node:crypto';
import { existsSync, renameSync } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ExplainedError } from 'trellis-contract/ground';
import { Interrupted } from '../exit-codes.ts';

interface WriteOptions {
  /** The permissions, from which the system removes those in the umask. */
  readonly mode: number;
  /** Aborts when the process receives SIGINT, SIGTERM or SIGHUP: the temporary file is then removed. */
  readonly signal: AbortSignal;
}

/**
 * Creates a file that is complete and on the disk, or does not exist.
 *
 * @param write fills the empty temporary file
 * @throws ExplainedError if the file exists or cannot be written
 */
export async function writeNewFile<T>(
  path: string,
  options: WriteOptions,
  write: (temporary: string) => T | Promise<T>,
): Promise<T> {
  requireAbsent(path);
  return await writeFile(path, options, write, (temporary) => {
    requireAbsent(path);
    renameSync(temporary, path);
  });
}

/** Writes a temporary file beside the path, and flushes it before and after `place` has renamed it to the path. */
export async function writeFile<T>(
  path: string,
  { mode, signal }: WriteOptions,
  write: (temporary: string) => T | Promise<T>,
  place: (temporary: string) => void,
): Promise<T> {
  // Random, as a killed process may have left its file, and in a container the next process has the same id.
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    await (await open(temporary, 'wx', mode)).close();
    const result = await write(temporary);
    await flush(temporary);
    signal.throwIfAborted();
    place(temporary);
    await flush(dirname(resolve(path)));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    if (signal.aborted) throw new Interrupted(`interrupted: ${path} was not written`, signal.reason as NodeJS.Signals);
    // Only errors of the system explain themselves, such as a full disk.
    if (!Error.isError(error) || !('syscall' in error)) throw error;
    throw new ExplainedError(`${path} cannot be written: ${error.message}`, { cause: error });
  }
}

/** @param how the end of the message, such as ` with --rejects` */
export function requireAbsent(path: string, how = ''): void {
  if (existsSync(path)) throw new ExplainedError(`the file ${path} exists: move it away, or name another file${how}`);
}

async function flush(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
