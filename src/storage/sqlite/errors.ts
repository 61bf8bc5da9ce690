import { messageOf } from '../../explained-error.ts';
import { type Constraint, ConstraintViolated, StoreUnavailable, StoreUnusable } from '../store.ts';

/** SQLite's extended result codes of constraints. */
const CONSTRAINTS = new Map<number, Constraint>([
  [275, 'check'],
  [787, 'foreign key'],
  // SQLITE_CONSTRAINT_TRIGGER: SQLite reports so that a foreign key with `on delete restrict` is broken.
  [1811, 'foreign key'],
  [1299, 'not null'],
  // SQLITE_CONSTRAINT_PRIMARYKEY, _UNIQUE, _ROWID
  [1555, 'unique'],
  [2067, 'unique'],
  [2579, 'unique'],
]);

const BUSY = 5;
const CORRUPT = 11;

/** SQLite's primary result codes (sqlite.org/rescode.html): whether the failure is transient, and the fault. */
const FAILURES = new Map<number | undefined, { readonly transient: boolean; readonly problem?: string }>([
  [BUSY, { transient: true, problem: 'is locked by another process' }],
  // SQLITE_LOCKED, SQLITE_NOMEM
  [6, { transient: true }],
  [7, { transient: true }],
  // SQLITE_READONLY
  [8, { transient: true, problem: 'cannot be written: check the permissions of the file and of its folder' }],
  // SQLITE_IOERR
  [10, { transient: true, problem: 'cannot be read or written: check the disk' }],
  [CORRUPT, { transient: false, problem: 'is damaged: move it away, with its -wal and -shm, and restore a backup' }],
  // SQLITE_FULL
  [13, { transient: true, problem: 'cannot be written: the disk is full' }],
  // SQLITE_CANTOPEN
  [
    14,
    { transient: true, problem: 'cannot be opened: check that it is a file, and the permissions of it and its folder' },
  ],
  // SQLITE_NOTADB
  [26, { transient: false, problem: 'is not a SQLite database' }],
]);

/** The extended result code of what node:sqlite threw; undefined: it was not SQLite. */
function extendedCode(error: unknown): number | undefined {
  if (!Error.isError(error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode;
}

/** Its low byte, the primary result code. */
export function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

/** An error met while a store is at work, as the interface has it. */
export function atWork(error: unknown): Error {
  const code = sqliteCode(error);
  const failure = FAILURES.get(code);
  if (failure?.transient) {
    return new StoreUnavailable(`SQLite cannot do this at the moment: ${messageOf(error)}`, { cause: error });
  }
  const constraint = CONSTRAINTS.get(extendedCode(error) ?? 0);
  if (constraint !== undefined) return new ConstraintViolated(constraint, messageOf(error), { cause: error });
  if (code === CORRUPT) return new StoreUnusable(`the database ${failure?.problem ?? ''}`, { cause: error });
  return Error.isError(error) ? error : new Error(String(error));
}

/** An error met while the database at this path was opened, as its operator should read it. */
export function atOpening(error: unknown, path: string): Error {
  const problem = FAILURES.get(sqliteCode(error))?.problem;
  if (problem !== undefined) return new StoreUnusable(`the database ${path} ${problem}`, { cause: error });
  if (Error.isError(error) && 'syscall' in error && 'code' in error) {
    const problem = error.syscall === 'stat' ? 'cannot be reached by this user' : 'is in a folder that cannot be made';
    return new StoreUnusable(`the database ${path} ${problem}: ${error.message}`, { cause: error });
  }
  return Error.isError(error) ? error : new Error(String(error));
}

/** An error as it crosses threads, where structured cloning forgets its class. */
export interface PackedError {
  readonly name: string;
  readonly error: Error;
  readonly constraint: Constraint | undefined;
}

export function pack(error: Error): PackedError {
  return { name: error.name, error, constraint: error instanceof ConstraintViolated ? error.constraint : undefined };
}

export function unpack({ name, error, constraint }: PackedError): Error {
  const unpacked = unpackAs(name, error, constraint);
  if (unpacked === undefined) return error;
  // The stack of the thread that failed.
  if (error.stack !== undefined) unpacked.stack = error.stack;
  return unpacked;
}

function unpackAs(name: string, { message, cause }: Error, constraint: Constraint | undefined): Error | undefined {
  if (constraint !== undefined) return new ConstraintViolated(constraint, message, { cause });
  const Class = [StoreUnavailable, StoreUnusable].find((each) => each.name === name);
  return Class && new Class(message, { cause });
}
