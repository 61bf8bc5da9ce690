import { chmodSync, chownSync, existsSync, realpathSync, renameSync, statSync } from 'node:fs';
import { basename, dirname, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { ACTS_FILE } from '../acts.ts';
import type { Layout } from '../layout.ts';
import { missingSteps, requireTables, requireVersion } from '../schema.ts';
import { StoreUnusable } from '../store-errors.ts';
import { type DamagedRow, damagedTexts } from './damaged-texts.ts';
import { identityOf, LOCK_TIMEOUT_MS, makeFile, makeFolder } from './connection.ts';
import { atCopying, isBusy, opening } from './errors.ts';
import { applicationId, columnsOf, migrate, pragma, requireOwn, stepsIn } from './migrations.ts';

/** How many rows with damaged texts are kept, to be named. */
const NAMED = 10;

/** The number of rows, by table. */
export type Counts = Readonly<Record<string, number>>;

/** What a checked copy holds. Rows with damaged texts are in it: of the others, no backup and no restore may go without. */
export interface Copied {
  readonly counts: Counts;
  /** The first rows with damaged texts, and the number of all. */
  readonly damaged: { readonly first: readonly DamagedRow[]; readonly count: number };
}

/** Copies a store, as it is at one moment, into an empty file, and checks both. */
export function backUp(layout: Layout, path: string, copy: string): Copied {
  if (!existsSync(path)) throw new StoreUnusable(`the database ${path} does not exist: check DATABASE_URL`);
  return copyChecked(layout, path, copy, 'restore a backup');
}

/**
 * SQLite deletes another file that has the name of its log.
 *
 * @throws StoreUnusable if the backup is a file of the store, or has the name that such a file will have
 */
export function requireForeignTo(path: string, backup: string): void {
  const paths = existsSync(path) ? [path, realpathSync(path)] : [path];
  const isOwn = paths.some((store) =>
    ['', '-wal', '-shm', '-journal', ACTS_FILE].some(
      (end) => isSameFile(store + end, backup) || isSameName(store + end, backup),
    ),
  );
  if (isOwn) throw new StoreUnusable(`the file ${backup} belongs to the store ${path}: name another file`);
}

/**
 * Returns the steps of a restore. No step but the last writes to the store.
 *
 * @param allow receives a function that counts the rows of the store, and throws if the restore must not delete them
 */
export function planRestore(layout: Layout, path: string, backup: string, allow: (count: () => Counts) => void) {
  if (statSync(backup, { throwIfNoEntry: false })?.isFile() !== true)
    throw new StoreUnusable(`the file ${backup} does not exist, or is no file: name a backup`);
  // SQLite keeps its log beside the file that a link leads to.
  const target = existsSync(path) ? realpathSync(path) : path;
  opening(path, () => makeFolder(dirname(target)));
  return {
    /** The file of the store. */
    target,
    /** Copies the checked backup into an empty file in the folder of the store. */
    prepare: (temporary: string): Copied => {
      const copied = copyChecked(layout, backup, temporary, 'restore another backup');
      return opening(path, () => {
        using database = new DatabaseSync(temporary);
        migrate(layout, database, temporary, true);
        return copied;
      });
    },
    /** Replaces the store by that file. @throws StoreUnusable, also if another process has the store open */
    place: (temporary: string) => {
      opening(path, () => replace(layout, target, temporary, allow));
    },
  };
}

/** Copies a database as of one moment into an empty file. */
function copyChecked(layout: Layout, from: string, to: string, cure: string): Copied {
  try {
    // SQLite takes a name that begins with `file:` for a URI, unless its folder stands before it.
    using source = new DatabaseSync(resolve(from), { readOnly: true, timeout: LOCK_TIMEOUT_MS });
    check(layout, source, `the database ${from}`, cure);
    source.prepare('vacuum into ?').run(resolve(to));
    using copy = new DatabaseSync(resolve(to), { readOnly: true });
    const counts = check(layout, copy, `the copy of ${from}`, cure);
    const first: DamagedRow[] = [];
    let count = 0;
    for (const row of damagedTexts(layout, copy)) if (count++ < NAMED) first.push(row);
    return { counts, damaged: { first, count } };
  } catch (error) {
    throw atCopying(error, from, to, cure);
  }
}

/** Replaces the store by a file in the same folder, and lets no other process open the store meanwhile. */
function replace(layout: Layout, path: string, file: string, allow: (count: () => Counts) => void): void {
  if (!existsSync(path)) makeFile(path);
  using store = new DatabaseSync(path, { timeout: LOCK_TIMEOUT_MS });
  try {
    // This mode keeps each lock until `store` is closed. The lock fails while another connection is open, even if idle.
    store.exec('pragma locking_mode = exclusive; begin exclusive');
    requireOwn(layout, store, path);
    allow(() => countOf(layout, store, path));
    // Empties and removes the log, which SQLite would otherwise apply to the new file of the same name.
    store.exec('commit; pragma journal_mode = delete; begin exclusive');
  } catch (error) {
    if (!isBusy(error)) throw error;
    const cure = 'stop the service and every other program that uses it, then restore';
    throw new StoreUnusable(`the database ${path} is open in another process: ${cure}`, { cause: error });
  }
  const { uid, gid, mode } = statSync(path);
  const own = statSync(file);
  if (own.uid !== uid || own.gid !== gid) chownSync(file, uid, gid);
  chmodSync(file, mode & 0o777);
  // A process that has opened the old file, and waits for its lock, fails: SQLite writes to no file that has moved.
  renameSync(file, path);
}

function countOf(layout: Layout, store: DatabaseSync, path: string): Counts {
  try {
    if (store.prepare('select 1 from sqlite_schema').get() === undefined) return {};
    return countsOf(layout, store);
  } catch (error) {
    const message = `the rows of the database ${path} cannot be counted: restore with --force to replace it`;
    throw new StoreUnusable(message, { cause: error });
  }
}

function countsOf({ counted }: Layout, database: DatabaseSync): Counts {
  const count = (table: string) => database.prepare(`select count(*) as count from "${table}"`).get()?.['count'];
  // An older store lacks the tables of later steps.
  const has = new Set(columnsOf(database).map(({ table }) => table));
  return Object.fromEntries(counted.filter((table) => has.has(table)).map((table) => [table, Number(count(table))]));
}

/**
 * Requires a store of this or an older version, with the tables and indexes that its steps make, and no trigger,
 * view or foreign key that changes what a create does. It may have more tables, because Litestream adds some, and more
 * columns, which the start allows too.
 */
function check(layout: Layout, database: DatabaseSync, name: string, cure: string): Counts {
  const { marker } = layout;
  const version = Number(pragma(database, 'user_version'));
  if (pragma(database, 'application_id') !== applicationId(marker) || version < 1)
    throw new StoreUnusable(`${name} is not a store of ${layout.name}: ${cure}`);
  requireVersion(layout, name, version, true);
  const missing = missingSteps(layout, 'sqlite', name, version, stepsIn(database), true);
  const found = pragma(database, 'integrity_check(1)');
  if (found !== 'ok') throw new StoreUnusable(`${name} is damaged (${String(found).replaceAll('\n', ' ')}): ${cure}`);
  requireShape(layout, database, name, missing, cure);
  const violation = database.prepare('pragma foreign_key_check').get();
  if (violation !== undefined) {
    const { table, parent, rowid } = violation;
    const which = `a row of ${String(table)} (rowid ${String(rowid)}) whose foreign key leads to no row of ${String(parent)}`;
    throw new StoreUnusable(`${name} has ${which}: mend or delete that row, or ${cure}`);
  }
  return countsOf(layout, database);
}

function requireShape(
  layout: Layout,
  database: DatabaseSync,
  name: string,
  missing: Layout['steps']['sqlite'],
  cure: string,
): void {
  using made = new DatabaseSync(':memory:');
  const steps = layout.steps.sqlite.filter((step) => !missing.includes(step));
  for (const { statements } of steps) for (const statement of statements) made.exec(statement);
  requireTables(name, columnsOf(made), columnsOf(database), cure);
  const wanted = shapeOf(made);
  const tables = new Set(Array.from(wanted.values(), ({ table }) => table));
  const found = shapeOf(database);
  for (const [what, { form }] of wanted) {
    const has = found.get(what);
    if (has === undefined) throw new StoreUnusable(`${name} lacks the ${what}: make it again, or ${cure}`);
    if (has.form !== form)
      throw new StoreUnusable(`${name} has another ${what} than its steps make: change it back, or ${cure}`);
  }
  for (const [what, { table, type }] of found) {
    const isStranger = type === 'trigger' || type === 'view' || tables.has(table);
    if (isStranger && !wanted.has(what))
      throw new StoreUnusable(`${name} has the ${what}, which no store of ${layout.name} has: drop it, or ${cure}`);
  }
}

/**
 * All tables, indexes, triggers and views, by type and name, and the foreign keys of other tables on each table. The form
 * of a table is whether it is strict; that of an index is its columns, and whether it is unique and partial.
 */
function shapeOf(database: DatabaseSync) {
  const select = `select type, name, tbl_name as "table", case type
      when 'table' then (select strict from pragma_table_list(s.name))
      when 'index' then (select l."unique" || l.partial || group_concat(c.name)
        from pragma_index_list(s.tbl_name) as l join pragma_index_info(l.name) as c where l.name = s.name)
      end as form from sqlite_schema as s union all
    select 'foreign key of', t.name, lower(f."table"), null
    from sqlite_schema as t join pragma_foreign_key_list(t.name) as f where t.type = 'table'`;
  const rows = database.prepare(select).all();
  return new Map(rows.map(({ type, name, table, form }) => [`${String(type)} ${String(name)}`, { type, table, form }]));
}

function isSameFile(one: string, other: string): boolean {
  const identity = identityOf(one);
  return identity !== undefined && identity === identityOf(other);
}

function isSameName(one: string, other: string): boolean {
  return basename(one) === basename(other) && isSameFile(dirname(one), dirname(other));
}
