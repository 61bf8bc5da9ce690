import { asError, messageOf } from 'trellis-contract/ground';
import { type Constraint, ConstraintViolated, StoreUnavailable, StoreUnusable } from '../store-errors.ts';

/** Extended result codes. */
const CONSTRAINTS = new Map<number, Constraint>([
  [275, 'check'],
  [787, 'foreign key'],
  // SQLITE_CONSTRAINT_TRIGGER, which SQLite reports for a foreign key with `on delete restrict`.
  [1811, 'foreign key'],
  [1299, 'not null'],
  [1555, 'unique'],
  [2067, 'unique'],
  [2579, 'unique'],
]);

/** Primary result codes (sqlite.org/rescode.html). */
const BUSY = 5;
const LOCKED = 6;
const NO_MEMORY = 7;
const READ_ONLY = 8;
const IO_ERROR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANNOT_OPEN = 14;
const NOT_A_DATABASE = 26;
/** SQLITE_READONLY_DBMOVED, an extended code: another file has taken the name of the database. */
const REPLACED = 1032;
/** SQLITE_IOERR_SHMSIZE, an extended code. */
const NO_ROOM = 4874;
/** The codes after which a retry may succeed. */
const TRANSIENT = new Set<number | undefined>([BUSY, LOCKED, NO_MEMORY, READ_ONLY, IO_ERROR, FULL, CANNOT_OPEN]);
const PROBLEMS = new Map<number | undefined, string>([
  [BUSY, 'is locked by another process'],
  [READ_ONLY, 'cannot be written: check the permissions of the file and of its folder'],
  [IO_ERROR, 'cannot be read or written: check the disk'],
  [CORRUPT, 'is damaged: stop the service, keep a copy of it and its -wal, and restore a backup with --force'],
  [FULL, 'cannot be written: the disk is full'],
  [CANNOT_OPEN, 'cannot be opened: check that it is a file, and check its permissions'],
  [
    NOT_A_DATABASE,
    'is not a SQLite database: correct DATABASE_URL, or move it away with its -wal and -shm and restore a backup',
  ],
]);

/** Problems at the opening of a database, by extended code. */
const AT_OPENING = new Map<number | undefined, string>([
  [REPLACED, 'was replaced while it was opened: try again'],
  [NO_ROOM, 'cannot be read, as the full disk has no room for its -shm: free 32 KiB of the disk'],
]);

function extendedCode(error: unknown): number | undefined {
  if (!Error.isError(error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode;
}

/** The primary result code, which is the low byte of the extended one. */
function sqliteCode(error: unknown): number | undefined {
  const code = extendedCode(error);
  return code === undefined ? undefined : code & 0xff;
}

export function isBusy(error: unknown): boolean {
  return sqliteCode(error) === BUSY;
}

export function atWork(error: unknown, path: string): Error {
  const code = sqliteCode(error);
  if (TRANSIENT.has(code))
    return new StoreUnavailable(`SQLite cannot do this at the moment: ${messageOf(error)}`, { cause: error });
  const constraint = CONSTRAINTS.get(extendedCode(error) ?? 0);
  if (constraint !== undefined) return new ConstraintViolated(constraint, messageOf(error), { cause: error });
  if (code === CORRUPT) return new StoreUnusable(`the database ${path} ${PROBLEMS.get(code) ?? ''}`, { cause: error });
  return asError(error);
}

/** Opens a database, or prepares to. @throws StoreUnusable that says what is wrong with it */
export function opening<T>(path: string, open: () => T): T {
  try {
    return open();
  } catch (error) {
    throw atOpening(error, path);
  }
}

export function atOpening(error: unknown, path: string): Error {
  const problem = AT_OPENING.get(extendedCode(error)) ?? PROBLEMS.get(sqliteCode(error));
  if (problem !== undefined) return new StoreUnusable(`the database ${path} ${problem}`, { cause: error });
  if (Error.isError(error) && 'syscall' in error && 'code' in error) {
    const problem = error.syscall === 'stat' ? 'cannot be reached' : 'is in a folder that cannot be created';
    return new StoreUnusable(`the database ${path} ${problem}: ${error.message}`, { cause: error });
  }
  if (sqliteCode(error) === undefined) return asError(error);
  const cure = 'undo what was changed by hand, or restore a backup; after a change of the steps, correct them';
  return new StoreUnusable(`the database ${path} cannot be opened (${messageOf(error)}): ${cure}`, { cause: error });
}

/** For the copy of a database into another file: of the two, only the disk of that file can be full. */
export function atCopying(error: unknown, from: string, to: string, cure: string): Error {
  const code = sqliteCode(error);
  if (code === undefined || TRANSIENT.has(code)) return atOpening(error, code === FULL ? to : from);
  return new StoreUnusable(`the database ${from} is damaged (${messageOf(error)}): ${cure}`, { cause: error });
}

/** An error as a message between threads: structured cloning loses its class, its name and its members. */
export interface PackedError {
  readonly error: Error;
  readonly members: object;
}

function isPacked(answer: unknown): answer is PackedError {
  return typeof answer === 'object' && answer !== null && 'error' in answer;
}

export function pack(error: Error): PackedError {
  return { error, members: Object.assign({}, error) };
}

const CLASSES = [StoreUnavailable, StoreUnusable, ConstraintViolated];

export function unpack({ error, members }: PackedError): Error {
  Object.assign(error, members);
  const own = CLASSES.find(({ name }) => name === error.name);
  if (own !== undefined) Object.setPrototypeOf(error, own.prototype);
  return error;
}

export function unpackEach<Answer>(answers: readonly (Answer | PackedError)[]): (Answer | Error)[] {
  return answers.map((answer) => (isPacked(answer) ? unpack(answer) : answer));
}
