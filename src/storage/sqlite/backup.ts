import { closeSync, existsSync, openSync, realpathSync, rmSync } from 'node:fs';
import { backup, type BackupOptions, DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { RESOURCE } from '../../resource.ts';
import { requireSchema } from '../schema.ts';
import { StoreUnavailable, StoreUnusable } from '../store.ts';
import { TABLES } from '../tables.ts';
import { connect, connectReader } from './connection.ts';
import { atOpening, isBusy, sqliteCode } from './errors.ts';
import { APPLICATION_ID, MIGRATIONS } from './migrations.ts';

/** All pages in one step: with more than one, each write of another connection would begin it anew. */
const ALL_PAGES = 2 ** 31 - 1;
/** In two steps, or more, a store is restored: it is locked from the first on. */
const RESTORED_PAGES = 1000;
/** How long a copy waits for another process that writes, in milliseconds. */
const COPY_PATIENCE_MS = 30_000;
/** How long it waits before each try. */
const COPY_PAUSE_MS = 5;
/** SQLITE_OK. */
const NO_ERROR = 0;

/**
 * Copies a store into a file that is there, and empty, as it is at one moment, and checks the copy. The file holds no
 * other file's data, and needs none beside it.
 *
 * @returns how many items it has
 * @throws StoreUnusable, StoreUnavailable
 */
export async function backUp(path: string, copy: string): Promise<number> {
  if (!existsSync(path)) throw new StoreUnusable(`there is no database ${path}`);
  await copyPages(path, copy);
  return inDatabase(copy, () => {
    using database = new DatabaseSync(copy);
    // The copy is one of a database with a log (WAL) beside it; this one never gets one.
    database.exec('pragma journal_mode = delete');
    return check(database, `the copy of ${path}`);
  });
}

/**
 * Makes a store what a copy of `backUp` has, and checks it: it is durable then. In one transaction, so that a service
 * that runs sees the store as it was before or after. All that was in it is gone.
 *
 * @param allow gets the number of items in the store, and throws if the restore must not delete them
 * @returns how many items it has
 * @throws StoreUnusable, StoreUnavailable
 */
export async function restore(path: string, copy: string, allow: (items: number) => void): Promise<number> {
  if (!existsSync(copy)) throw new StoreUnusable(`there is no file ${copy}`);
  if (existsSync(path) && realpathSync(path) === realpathSync(copy)) {
    throw new StoreUnusable(`the file ${copy} is the store itself`);
  }
  const items = inDatabase(copy, () => {
    using database = new DatabaseSync(copy, { readOnly: true });
    return check(database, `the database ${copy}`);
  });
  // Makes the store where there is none; a file that is not a store is not overwritten.
  inDatabase(path, () => {
    using database = connect(path, true).database;
    // Before any writer has to wait; what is allowed now is asked again below.
    allow(countItems(database));
  });
  await withCurrentSchema(path, copy, async (source) => {
    // Between two steps, as the store is locked then: nothing is added any more.
    let allowed = false;
    const progress = () => {
      if (allowed) return;
      using store = connectReader(path);
      allow(countItems(store));
      allowed = true;
    };
    await copyPages(source, path, { rate: Math.min(RESTORED_PAGES, Math.ceil(pagesOf(source) / 2)), progress });
    inDatabase(path, () => {
      // Flushes all that was copied with what it writes.
      using database = connect(path, true).database;
      compare(database, path, source);
    });
  });
  return items;
}

/** A service that runs must not meet an older schema: the migrations run on a copy of the copy then. */
async function withCurrentSchema(path: string, copy: string, work: (source: string) => Promise<void>): Promise<void> {
  if (versionOf(copy) === MIGRATIONS.length) {
    await work(copy);
    return;
  }
  const source = `${path}.restoring`;
  // One that was killed has left them.
  const remove = () => {
    for (const end of ['', '-wal', '-shm']) rmSync(source + end, { force: true });
  };
  remove();
  try {
    closeSync(openSync(source, 'w', 0o600));
    await copyPages(copy, source);
    inDatabase(source, () => {
      connect(source, true).database.close();
    });
    await work(source);
  } finally {
    remove();
  }
}

function versionOf(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  return Number(database.prepare('pragma user_version').get()?.['user_version']);
}

function pagesOf(path: string): number {
  using database = new DatabaseSync(path, { readOnly: true });
  return Number(database.prepare('pragma page_count').get()?.['page_count']);
}

/** Retries while another process writes: unlike other statements, this one does not wait for its lock. */
async function copyPages(from: string, to: string, steps: BackupOptions = { rate: ALL_PAGES }): Promise<void> {
  const deadline = performance.now() + COPY_PATIENCE_MS;
  for (;;) {
    try {
      using source = new DatabaseSync(from, { readOnly: true });
      await backup(source, to, steps);
      return;
    } catch (error) {
      // Where a lock was in its way it fails with the code of a connection that has no error.
      if (!isBusy(error) && sqliteCode(error) !== NO_ERROR) throw atOpening(error, to);
      if (performance.now() > deadline) {
        throw new StoreUnavailable(`the database ${to} is locked by another process`, { cause: error });
      }
    }
    await sleep(COPY_PAUSE_MS);
  }
}

/** Does some work, and throws what SQLite finds wrong with a database with its path. */
function inDatabase<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw atOpening(error, path);
  }
}

/** @param name what the database is called in the messages @returns how many items it has */
function check(database: DatabaseSync, name: string): number {
  const value = (pragma: string) => Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0];
  if (value('application_id') !== APPLICATION_ID) throw new StoreUnusable(`${name} is not a ${RESOURCE.one} store`);
  requireSchema(name, Number(value('user_version')), MIGRATIONS.length, true);
  const found = value('integrity_check(1)');
  if (found !== 'ok') throw new StoreUnusable(`${name} is damaged: ${String(found).replaceAll('\n', ' ')}`);
  return countItems(database);
}

/** All at once, unlike the engine: a command has no requests to answer meanwhile. */
function countItems(database: DatabaseSync): number {
  return Number(database.prepare(`select count(*) as count from ${RESOURCE.many}`).get()?.['count']);
}

/** Every row of the backup must be in the store, as it was; a service may have added some since. */
function compare(database: DatabaseSync, path: string, copy: string): void {
  database.prepare('attach ? as backup').run(copy);
  const found = database.prepare('pragma main.integrity_check').get()?.['integrity_check'];
  const isLost = Object.entries(TABLES).some(([table, columns]) => {
    const differs = Object.keys(columns).map((column) => `stored."${column}" is not copied."${column}"`);
    const join = `backup."${table}" as copied left join main."${table}" as stored on stored.rowid = copied.rowid`;
    return database.prepare(`select 1 from ${join} where ${differs.join(' or ')} limit 1`).get() !== undefined;
  });
  if (found !== 'ok' || isLost) {
    throw new StoreUnusable(`the database ${path} is not what ${copy} has: ${String(found)}; restore it again`);
  }
}
