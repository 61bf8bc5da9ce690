import type { DatabaseSync } from 'node:sqlite';
import type { Layout } from '../layout.ts';
import { requireSchema, requireTables, toColumns } from '../schema.ts';
import { type Schema, StoreUnusable } from '../store.ts';
import { SQL_TYPES } from './values.ts';

/** The four characters of a marker, as SQLite keeps them: the service changes no database of another application. */
export function applicationId(marker: string): number {
  return Buffer.from(marker, 'ascii').readInt32BE();
}

/**
 * Migrates a database, whose `user_version` counts the steps that it has been through. Commits a write even if there is
 * no step to do: after a kill during an fsync, rows may be visible that are not on disk. The fsync of this commit covers
 * the whole log (WAL), so all that the service then reads is durable.
 */
export function migrate(layout: Layout, database: DatabaseSync, path: string, create: boolean): Schema {
  const { name, marker, tables, migrations } = layout;
  database.exec('begin immediate');
  requireOwn(layout, database, path);
  const now = migrations.sqlite.length;
  const before = pragma(database, 'user_version');
  requireSchema(name, `the database ${path}`, before, now, create);
  for (const migration of migrations.sqlite.slice(before)) database.exec(migration);
  requireTables(`the database ${path}`, tables, toColumns(database.prepare(SELECT_COLUMNS).all()), SQL_TYPES);
  database.exec(`pragma application_id = ${applicationId(marker)}; pragma user_version = ${now}; commit`);
  return { before, now };
}

/** @throws StoreUnusable unless the database is a store or empty */
export function requireOwn({ marker }: Layout, database: DatabaseSync, path: string): void {
  const owner = pragma(database, 'application_id');
  if (owner === applicationId(marker)) return;
  const tables = database.prepare('select count(*) as count from sqlite_schema').get()?.['count'];
  if (owner !== 0 || pragma(database, 'user_version') !== 0 || tables !== 0) {
    throw new StoreUnusable(`the database ${path} belongs to another application: choose another file`);
  }
}

/** A primary key counts as required: the rowid is never null, although SQLite does not report it as `not null`. */
const SELECT_COLUMNS = `select t.name as "table", c.name as "column", c.type, c."notnull" or c.pk as required
  from sqlite_schema as t join pragma_table_info(t.name) as c where t.type = 'table'`;

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}
