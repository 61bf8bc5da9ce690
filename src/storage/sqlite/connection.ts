import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { COLUMNS, requireSchema } from '../columns.ts';
import { type Schema, StoreUnusable } from '../store.ts';
import { atOpening, isBusy } from './errors.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';

/** How long to wait for another process that holds the write lock, in milliseconds. Nothing can cut the wait short. */
const BUSY_MS = 2000;

/**
 * How many pages of 4 KiB the log (WAL) has when they are copied into the database, which stops writing for so long.
 * Measured with random ids in 10 million plants, where each plant is a page: 1,000 pages (SQLite's own choice) take 22 ms
 * and leave 21,000 plants/s, 4,000 take 60 ms and leave 28,000, 16,000 take 300 ms and leave 33,000. A page cache beyond
 * SQLite's own 2 MB made it slower: the pages are in the system's cache already.
 */
const CHECKPOINT_PAGES = 4000;

/**
 * Opens the database for writing, and brings its schema up to date.
 *
 * @throws StoreUnusable
 */
export function connect(path: string, create: boolean): { database: DatabaseSync; schema: Schema } {
  try {
    if (!create && !existsSync(path)) throw new StoreUnusable(`there is no database ${path}`);
    makeFolder(dirname(path));
    if (!existsSync(path)) makeFile(path);
    const database = new DatabaseSync(path, { timeout: BUSY_MS });
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

/** Opens another connection, which sees the database as it was when it first read. */
export function connectReader(path: string): DatabaseSync {
  return new DatabaseSync(path, { timeout: BUSY_MS, readOnly: true, readBigInts: true });
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
  const deadline = Date.now() + BUSY_MS;
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
  database.exec(`pragma wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
}

/**
 * Writes even if there is nothing to migrate: a process that was killed inside an fsync leaves rows that can be seen
 * but may not be on disk. Its log (WAL) is this connection's now, and the fsync of this commit covers all of it. So
 * each answer from the database is durable.
 */
function migrate(database: DatabaseSync, path: string, create: boolean): Schema {
  database.exec('begin immediate');
  const now = MIGRATIONS.length;
  const before = pragma(database, 'user_version');
  const owner = pragma(database, 'application_id');
  const tables = database.prepare('select count(*) as count from sqlite_schema').get()?.['count'];
  if (owner !== APPLICATION_ID && (owner !== 0 || before !== 0 || tables !== 0)) {
    throw new StoreUnusable(`the database ${path} belongs to another application`);
  }
  requireSchema(`the database ${path}`, before, now, create);
  for (const migration of MIGRATIONS.slice(before)) database.exec(migration);
  const columns = database.prepare('select name from pragma_table_info(?)').all('plants');
  const missing = COLUMNS.filter((column) => !columns.some(({ name }) => name === column));
  if (missing.length > 0) {
    throw new StoreUnusable(`the database ${path} lacks columns of plants (${missing.join(', ')}): add a migration`);
  }
  database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${now}; commit`);
  return { before, now };
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}
