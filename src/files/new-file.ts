import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { ExplainedError, Interrupted } from '../explained-error.ts';

interface NewFileOptions {
  /** Who may read and write it; less what the process's umask takes away. */
  readonly mode: number;
  /** Aborts when the process is told to stop: the file is not made then. */
  readonly signal: AbortSignal;
}

/**
 * Makes a file that is there whole, and on the disk, or not at all: by another name in its folder first.
 *
 * @param write writes the file of the name that it is given, which is there, empty
 * @throws ExplainedError if there is a file of that name, or it cannot be written
 */
export async function writeNewFile<T>(
  path: string,
  { mode, signal }: NewFileOptions,
  write: (temporary: string) => Promise<T>,
): Promise<T> {
  requireAbsent(path);
  // Not by the id of the process: in a container the next one has the same, and would meet what a killed one has left.
  const temporary = `${path}.${randomBytes(4).toString('hex')}.part`;
  try {
    await (await open(temporary, 'wx', mode)).close();
    const result = await write(temporary);
    signal.throwIfAborted();
    await flush(temporary);
    requireAbsent(path);
    await rename(temporary, path);
    await flush(dirname(resolve(path)));
    return result;
  } catch (error) {
    await rm(temporary, { force: true });
    if (signal.aborted) throw new Interrupted(`interrupted: ${path} was not written`, signal.reason as NodeJS.Signals);
    // The system's errors: a folder that is not there, a disk that is full.
    if (!Error.isError(error) || !('syscall' in error)) throw error;
    throw new ExplainedError(`${path} cannot be written: ${error.message}`, { cause: error });
  }
}

/** @param option how the operator names another file @throws ExplainedError if the file exists */
export function requireAbsent(path: string, option = ''): void {
  if (existsSync(path)) throw new ExplainedError(`the file ${path} exists: move it away, or name another one${option}`);
}

async function flush(path: string): Promise<void> {
  await using file = await open(path, 'r');
  await file.sync();
}
