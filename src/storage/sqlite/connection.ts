import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type Schema, StoreUnavailable, StoreUnusable } from '../store.ts';
import { atOpening, isBusy } from './errors.ts';
import { migrate } from './migrations.ts';

/**
 * How long a connection waits for another process that holds the write lock, in milliseconds. Nothing can cut the wait
 * short: END_MS of commands/serve.ts and the 10 s to stop in that README.md promises count on it.
 */
const LOCK_TIMEOUT_MS = 2000;

/**
 * How many pages of 4 KiB the log (WAL) has when they are copied into the database, which stops writing for so long.
 * Measured with random ids in 10 million items, where each item is a page: 1,000 pages (SQLite's own choice) take 22 ms
 * and leave 21,000 items/s, 4,000 take 60 ms and leave 28,000, 16,000 take 300 ms and leave 33,000. A page cache beyond
 * SQLite's own 2 MB made it slower: the pages are in the system's cache already.
 */
const CHECKPOINT_PAGES = 4000;

/** How large the log stays that has grown beside a long list, when it begins anew. Without a list it is below. */
const LOG_BYTES = 64 * 1024 * 1024;

/**
 * Opens the database for writing, and brings its schema up to date.
 *
 * @throws StoreUnusable
 */
export function connect(path: string, create: boolean): { database: DatabaseSync; schema: Schema } {
  try {
    // It throws where this user may not look.
    const isThere = statSync(path, { throwIfNoEntry: false }) !== undefined;
    if (!create && !isThere) throw new StoreUnusable(`there is no database ${path}`);
    makeFolder(dirname(path));
    if (!existsSync(path)) makeFile(path);
    const database = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
    try {
      configure(database, path);
      return { database, schema: migrate(database, path, create) };
    } catch (error) {
      database.close();
      throw error;
    }
  } catch (error) {
    throw atOpening(error, path);
  }
}

/** How often the two files beside the database are looked for, in milliseconds: each stat takes 1 % of a create. */
const LOOK_MS = 100;

/**
 * Returns what throws once a file of a database that is open is no longer at its path: the next start would not find
 * what is written to it.
 */
export function watchFiles(path: string): () => void {
  const identity = identityOf(path);
  const beside = new Map(['-wal', '-shm'].map((end) => [path + end, identityOf(path + end)]));
  let [lost, lookAt]: [string | undefined, number] = [undefined, 0];
  return () => {
    if (performance.now() >= lookAt) {
      lost = beside.keys().find((file) => identityOf(file) !== beside.get(file));
      lookAt = performance.now() + LOOK_MS;
    }
    const missing = identityOf(path) === identity ? lost : path;
    if (missing === undefined) return;
    throw new StoreUnavailable(
      `the file ${missing} was moved, deleted or replaced: put it back, or restart the service`,
    );
  };
}

function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch {
    return undefined;
  }
}

/** Opens another connection, which sees the database as it was when it first read. @throws StoreUnusable */
export function connectReader(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS, readOnly: true, readBigInts: true });
  } catch (error) {
    throw atOpening(error, path);
  }
}

/**
 * Makes a folder that only its owner may enter, and flushes the one that holds it. Level by level, as Node's own
 * `recursive` never returns where the system refuses a folder as it does under /proc.
 */
function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  const holder = dirname(folder);
  makeFolder(holder);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it meanwhile.
    if (!existsSync(folder)) throw error;
  }
  const descriptor = openSync(holder, 'r');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Makes an empty file that only its owner may read: it gets the tokens' hashes. SQLite gives its -wal and -shm the same mode. */
function makeFile(path: string): void {
  try {
    closeSync(openSync(path, 'a', 0o600));
  } catch {
    // SQLite says why it cannot be opened.
  }
}

function configure(database: DatabaseSync, path: string): void {
  // Waits for the lock in steps of its own: SQLite does not, for this one.
  const deadline = Date.now() + LOCK_TIMEOUT_MS;
  for (;;) {
    try {
      const mode = database.prepare('pragma journal_mode = wal').get();
      if (mode?.['journal_mode'] === 'wal') break;
      throw new StoreUnusable(`the database ${path} lies on a file system that cannot share memory, which WAL needs`);
    } catch (error) {
      if (!isBusy(error) || Date.now() > deadline) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
  // Each commit is flushed to the disk; on macOS that takes F_FULLFSYNC.
  database.exec('pragma synchronous = full; pragma fullfsync = on; pragma checkpoint_fullfsync = on');
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}; pragma journal_size_limit = ${LOG_BYTES}`);
}
