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

/** One step copies all pages: between two steps, a write by another connection would restart the copy. */
const ALL_PAGES = 2 ** 31 - 1;
/** A restore takes two steps or more, so that `progress` is called while the store is locked. */
const RESTORED_PAGES = 1000;
const COPY_PATIENCE_MS = 30_000;
const COPY_PAUSE_MS = 5;
const SQLITE_OK = 0;

/** Copies a store, as it is at one moment, into an empty file, and checks the copy. Returns the number of items. */
export async function backUp(path: string, copy: string): Promise<number> {
  if (!existsSync(path)) throw new StoreUnusable(`the database ${path} does not exist: check DATABASE_URL`);
  await copyPages(path, copy);
  return inDatabase(copy, () => {
    using database = new DatabaseSync(copy);
    // The copy inherits the mode WAL of the store, in which readers would create files beside it.
    database.exec('pragma journal_mode = delete');
    return check(database, `the copy of ${path}`);
  });
}

/**
 * Replaces the contents of a store by a backup, durably, and checks them. A running service sees one transaction.
 *
 * @param allow receives the number of items in the store, and throws if the restore must not delete them
 * @returns the number of items
 */
export async function restore(path: string, copy: string, allow: (items: number) => void): Promise<number> {
  if (!existsSync(copy)) throw new StoreUnusable(`the file ${copy} does not exist`);
  if (existsSync(path) && realpathSync(path) === realpathSync(copy)) {
    throw new StoreUnusable(`the file ${copy} is the store itself: name a backup`);
  }
  const items = inDatabase(copy, () => {
    using database = new DatabaseSync(copy, { readOnly: true });
    return check(database, `the database ${copy}`);
  });
  // connect() creates a missing store, and refuses a file that is not a store.
  inDatabase(path, () => {
    using database = connect(path, true).database;
    // Refuses early, without a lock; `progress` below asks again.
    allow(countItems(database));
  });
  await withCurrentSchema(path, copy, async (source) => {
    // SQLite calls `progress` between two steps, when the store is locked: the number of items is final.
    let allowed = false;
    const progress = () => {
      if (allowed) return;
      using store = connectReader(path);
      allow(countItems(store));
      allowed = true;
    };
    await copyPages(source, path, { rate: Math.min(RESTORED_PAGES, Math.ceil(pagesOf(source) / 2)), progress });
    inDatabase(path, () => {
      // connect() writes, which flushes the copied pages too.
      using database = connect(path, true).database;
      compare(database, path, source);
    });
  });
  return items;
}

/** Migrates an old backup in a copy of its own, as a running service must never see an older schema. */
async function withCurrentSchema(path: string, copy: string, work: (source: string) => Promise<void>): Promise<void> {
  if (versionOf(copy) === MIGRATIONS.length) {
    await work(copy);
    return;
  }
  const source = `${path}.restoring`;
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

/** Retries while another process writes: a backup of SQLite ignores the lock timeout. */
async function copyPages(from: string, to: string, steps: BackupOptions = { rate: ALL_PAGES }): Promise<void> {
  const deadline = performance.now() + COPY_PATIENCE_MS;
  for (;;) {
    try {
      using source = new DatabaseSync(from, { readOnly: true });
      await backup(source, to, steps);
      return;
    } catch (error) {
      // node:sqlite reports some locks as SQLITE_OK.
      if (!isBusy(error) && sqliteCode(error) !== SQLITE_OK) throw atOpening(error, to);
      if (performance.now() > deadline) {
        throw new StoreUnavailable(`the database ${to} is locked by another process: try again`, { cause: error });
      }
    }
    await sleep(COPY_PAUSE_MS);
  }
}

function inDatabase<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw atOpening(error, path);
  }
}

/** @returns the number of items */
function check(database: DatabaseSync, name: string): number {
  const value = (pragma: string) => Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0];
  if (value('application_id') !== APPLICATION_ID) throw new StoreUnusable(`${name} is not a ${RESOURCE.one} store`);
  requireSchema(name, Number(value('user_version')), MIGRATIONS.length, true);
  const found = value('integrity_check(1)');
  if (found !== 'ok') throw new StoreUnusable(`${name} is damaged: ${String(found).replaceAll('\n', ' ')}`);
  return countItems(database);
}

function countItems(database: DatabaseSync): number {
  return Number(database.prepare(`select count(*) as count from ${RESOURCE.many}`).get()?.['count']);
}

/** Every row of the backup must be in the store, which a service may have added to since. */
function compare(database: DatabaseSync, path: string, copy: string): void {
  database.prepare('attach ? as backup').run(copy);
  const found = database.prepare('pragma main.integrity_check').get()?.['integrity_check'];
  const isLost = Object.entries(TABLES).some(([table, columns]) => {
    const differs = Object.keys(columns).map((column) => `stored."${column}" is not copied."${column}"`);
    const join = `backup."${table}" as copied left join main."${table}" as stored on stored.rowid = copied.rowid`;
    return database.prepare(`select 1 from ${join} where ${differs.join(' or ')} limit 1`).get() !== undefined;
  });
  if (found !== 'ok' || isLost) {
    throw new StoreUnusable(`the database ${path} differs from ${copy} (${String(found)}): restore it again`);
  }
}
