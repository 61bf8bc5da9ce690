import { StoreUnavailable, StoreUnusable } from '../store.ts';

/** SQLite's primary result codes (sqlite.org/rescode.html); the extended ones hold them in their low byte. */
const CODE = {
  busy: 5,
  locked: 6,
  noMemory: 7,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
};

const UNAVAILABLE = new Set([
  CODE.busy,
  CODE.locked,
  CODE.noMemory,
  CODE.readOnly,
  CODE.ioError,
  CODE.full,
  CODE.cannotOpen,
]);

const UNUSABLE: ReadonlyMap<number, string> = new Map([
  [CODE.busy, 'is locked by another process'],
  [CODE.readOnly, 'cannot be written: check the permissions of the file and of its folder'],
  [CODE.ioError, 'cannot be read or written: check the disk'],
  [CODE.corrupt, 'is damaged: move it away, with its -wal and -shm, and restore a backup'],
  [CODE.full, 'cannot be written: the disk is full'],
  [CODE.cannotOpen, 'cannot be opened: check that it is a file, and the permissions of it and of its folder'],
  [CODE.notADatabase, 'is not a SQLite database'],
]);

/** The primary result code of what node:sqlite threw, undefined if it was not SQLite that failed. */
export function sqliteCode(error: unknown): number | undefined {
  if (!Error.isError(error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === CODE.busy;
}

/** An error met while a store is at work, as the interface has it. */
export function atWork(error: unknown): Error {
  const code = sqliteCode(error);
  if (code !== undefined && UNAVAILABLE.has(code)) {
    return new StoreUnavailable('SQLite cannot do this at the moment', { cause: error });
  }
  if (code === CODE.corrupt) return new StoreUnusable(`the database ${UNUSABLE.get(code) ?? ''}`, { cause: error });
  return Error.isError(error) ? error : new Error(String(error));
}

/** An error met while the database at this path was opened, as whoever operates it should read it. */
export function atOpening(error: unknown, path: string): Error {
  const problem = UNUSABLE.get(sqliteCode(error) ?? -1);
  if (problem !== undefined) return new StoreUnusable(`the database ${path} ${problem}`, { cause: error });
  if (Error.isError(error) && 'syscall' in error && 'code' in error) {
    return new StoreUnusable(`the folder of the database ${path} cannot be made: ${error.message}`, { cause: error });
  }
  return Error.isError(error) ? error : new Error(String(error));
}

/** An error as it crosses threads, where structured cloning would forget its class. */
export interface PackedError {
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: unknown;
}

export function pack({ name, message, stack, cause }: Error): PackedError {
  return { name, message, stack, cause };
}

export function unpack({ name, message, stack, cause }: PackedError): Error {
  const Class = [StoreUnavailable, StoreUnusable].find((each) => each.name === name) ?? Error;
  const error = new Class(message, { cause });
  if (stack !== undefined) error.stack = stack;
  return error;
}
