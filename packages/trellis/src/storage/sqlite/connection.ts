import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Layout } from '../layout.ts';
import type { StoreSchema } from '../engine.ts';
import { StoreUnavailable, StoreUnusable } from '../store-errors.ts';
import type { Kind } from '../tables.ts';
import { isBusy, opening } from './errors.ts';
import { migrate, pragma, requireOwn } from './migrations.ts';

/** A thread that waits for the lock cannot stop: this and END_MS of commands/serve.ts together must stay below 10 s. */
export const LOCK_TIMEOUT_MS = 2000;

/**
 * The length of the log (WAL), in pages of 4 KiB, at which SQLite stops writing and copies the log into the database.
 * Measured with random ids among 10 million rows, one page each: 1,000 pages (SQLite's default) take 22 ms and leave
 * 21,000 rows/s, 4,000 take 60 ms and leave 28,000, 16,000 take 300 ms and leave 33,000. A page cache larger than
 * SQLite's 2 MB was slower, as the system has the pages in its cache.
 */
const CHECKPOINT_PAGES = 4000;

/** The size to which SQLite truncates a log that has grown during a long list. */
const LOG_BYTES = 64 * 1024 * 1024;

/** Opens the database for writing, and migrates it. @throws StoreUnusable */
export function connect(
  layout: Layout,
  path: string,
  create: boolean,
): { database: DatabaseSync; schema: StoreSchema } {
  return opening(path, () => {
    // Throws if this user may not enter the folder.
    const exists = statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (!create && !exists) throw new StoreUnusable(`the database ${path} does not exist: check DATABASE_URL`);
    makeFolder(dirname(path));
    if (!existsSync(path)) makeFile(path);
    const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    try {
      // This comes before the first change of the file.
      requireOwn(layout, database, path);
      configure(database, path);
      const schema = migrate(layout, database, path, create);
      keepRanges(layout, database);
      return { database, schema };
    } catch (error) {
      database.close();
      throw error;
    }
  });
}

/** In SQL, the values of a kind that SQLite would store, and PostgreSQL would refuse. */
const BEYOND: Partial<Record<Kind, string>> = {
  int32: 'not between -2147483648 and 2147483647',
  number: 'in (9e999, -9e999)',
};

/**
 * Refuses values beyond the range of their columns, also those that a query computes: by triggers of the connection, as
 * released stores have no CHECK. They call a function that throws, as `raise` would count as a broken constraint.
 */
function keepRanges({ tables }: Layout, database: DatabaseSync): void {
  for (const [table, { columns }] of Object.entries(tables)) {
    for (const [column, { kind }] of Object.entries(columns)) {
      if (BEYOND[kind] === undefined) continue;
      const name = `${table}.${column}`;
      database.function(name, () => {
        throw new Error(`the column ${column} of "${table}" takes no value beyond the range of ${kind}`);
      });
      for (const event of ['insert', `update of "${column}"`])
        database.exec(`create temp trigger "${name} ${event.slice(0, 6)}" before ${event} on main."${table}"
          when new."${column}" ${BEYOND[kind]} begin select "${name}"(); end`);
    }
  }
}

/** The pause between checks of -wal and -shm: each stat takes 1 % of the time of a create. */
const LOOK_MS = 100;

/** Returns a function that throws once a file has left its path: the next start would miss what this process writes. */
export function watchFiles(path: string, identity = identityOf(path)): () => void {
  const beside = new Map(['-wal', '-shm'].map((end) => [path + end, identityOf(path + end)]));
  let lost: string | undefined;
  let lookAt = 0;
  return () => {
    if (performance.now() >= lookAt) {
      lost = beside.keys().find((file) => identityOf(file) !== beside.get(file));
      lookAt = performance.now() + LOOK_MS;
    }
    const missing = identityOf(path) === identity ? lost : path;
    if (missing === undefined) return;
    throw new StoreUnavailable(
      `the file ${missing} was moved, deleted or replaced: put it back, or stop the service and restore a backup`,
    );
  };
}

/** The identity of a file; undefined: the file is missing. */
export function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

export function connectReader(path: string): DatabaseSync {
  const options = { timeout: LOCK_TIMEOUT_MS, readOnly: true, readBigInts: true };
  return opening(path, () => new DatabaseSync(path, options));
}

/**
 * Creates a folder for its owner alone, and flushes its parent. Node's own `recursive` never returns under /proc, where
 * the system refuses every folder.
 */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const parent = dirname(folder);
  makeFolder(parent);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if (!existsSync(folder)) throw error;
  }
  const descriptor = openSync(parent, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/**
 * Only the owner may read the file, which will hold the hashes of tokens. SQLite gives -wal and -shm the same mode.
 *
 * @throws StoreUnusable if the log of a store is there without the store: SQLite would delete what only the log has
 */
export function makeFile(path: string): void {
  const log = ['-wal', '-journal']
    .map((end) => path + end)
    .find((file) => statSync(file, { throwIfNoEntry: false })?.size);
  // Asks for the store again, as another process may have created both just now.
  if (log !== undefined && !existsSync(path))
    throw new StoreUnusable(`the database ${path} is missing, but its log ${log} is there: put both into one folder`);
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite fails to open the file next, and its error names the reason.
  }
}

function configure(database: DatabaseSync, path: string): void {
  // A change of the journal mode ignores SQLite's lock timeout, so this loop waits instead.
  const deadline = performance.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      if (pragma(database, 'journal_mode = wal') === 'wal') break;
      throw new StoreUnusable(`the database ${path} is on a file system without shared memory: use a local disk`);
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
  database.exec('pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on');
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma journal_size_limit = ${LOG_BYTES}`);
}
