import type { DatabaseSync } from 'node:sqlite';
import { type Layout, STEPS_TABLE } from '../layout.ts';
import { describedColumns, missingSteps, requireTables, requireVersion } from '../schema.ts';
import type { AnyRow, StoreSchema } from '../engine.ts';
import { StoreUnusable } from '../store-errors.ts';

/** The four characters of a marker, as SQLite keeps them: the service changes no database of another application. */
export function applicationId(marker: string): number {
  return Buffer.from(marker, 'ascii').readInt32BE();
}

/**
 * Migrates a database. `schema_steps` names the steps that it has been through; `user_version` counts them, so that an
 * older service refuses the database. Commits a write even if there is no step to do: after a kill during an fsync, rows
 * may be visible that are not on disk. The fsync of this commit covers the whole log (WAL), so all that the service then
 * reads is durable.
 *
 * Without `create`, it checks the database only, and writes nothing: a full disk must not keep a command from reading.
 */
export function migrate(layout: Layout, database: DatabaseSync, path: string, create: boolean): StoreSchema {
  const { marker, version: now, steps } = layout;
  database.exec(create ? 'begin immediate' : 'begin');
  requireOwn(layout, database, path);
  const before = Number(pragma(database, 'user_version'));
  requireVersion(layout, `the database ${path}`, before, create);
  const listed = stepsIn(database);
  const missing = missingSteps(layout, 'sqlite', `the database ${path}`, before, listed, create);
  for (const { statements } of missing) for (const statement of statements) database.exec(statement);
  const added = create ? steps.sqlite.map(({ name }) => name).filter((name) => !listed?.includes(name)) : [];
  if (added.length > 0) {
    database.exec(`create table if not exists ${STEPS_TABLE} (name text primary key not null) strict`);
    const add = database.prepare(`insert into ${STEPS_TABLE} values (?)`);
    for (const name of added) add.run(name);
  }
  requireColumns(layout, database, path);
  if (create) database.exec(`pragma application_id = ${applicationId(marker)}; pragma user_version = ${now}`);
  database.exec('commit');
  return { before, now, steps: added };
}

/** @throws StoreUnusable if the columns of the tables are not as described */
export function requireColumns(layout: Layout, database: DatabaseSync, path: string): void {
  requireTables(`the database ${path}`, describedColumns(layout, 'sqlite'), columnsOf(database));
}

/** The columns of all tables, as `requireTables` takes them. */
export function columnsOf(database: DatabaseSync): readonly AnyRow[] {
  return database.prepare(SELECT_COLUMNS).all();
}

/** The names of the steps that a database has been through; undefined: no table lists them. */
export function stepsIn(database: DatabaseSync): readonly string[] | undefined {
  if (database.prepare('select name from sqlite_schema where name = ?').get(STEPS_TABLE) === undefined)
    return undefined;
  const rows = database.prepare(`select name from ${STEPS_TABLE}`).all();
  return rows.map(({ name }) => String(name));
}

/** @throws StoreUnusable unless the database is a store or empty */
export function requireOwn({ marker }: Layout, database: DatabaseSync, path: string): void {
  const { owner, ...content } = database.prepare(SELECT_OWNER).get() ?? {};
  if (owner === applicationId(marker)) return;
  if (owner !== 0 || content['version'] !== 0 || content['tables'] !== 0)
    throw new StoreUnusable(`the database ${path} belongs to another application: choose another file`);
}

/** One statement, which sees one state: another process that opens the database may create the tables meanwhile. */
const SELECT_OWNER = `select (select application_id from pragma_application_id) as owner,
    (select user_version from pragma_user_version) as version, (select count(*) from sqlite_schema) as tables`;

/** A primary key counts as required: the rowid is never null, although SQLite does not report it as `not null`. */
const SELECT_COLUMNS = `select t.name as "table", c.name as "column", c.type, c."notnull" or c.pk as required,
    c.dflt_value is not null as "default", c.pk as key
  from sqlite_schema as t join pragma_table_info(t.name) as c where t.type = 'table'`;

/** The first value that a pragma gives. */
export function pragma(database: DatabaseSync, text: string): unknown {
  return Object.values(database.prepare(`pragma ${text}`).get() ?? {})[0];
}
