import type { DatabaseSync } from 'node:sqlite';
import { type FoundColumn, requireSchema, requireTables } from '../schema.ts';
import { type Schema, StoreUnusable } from '../store.ts';
import { SQL_TYPES } from './values.ts';

/**
 * The schema, step by step; the version of a database (`user_version`) is how many of these it has been through. A
 * step that was released is never changed.
 */
export const MIGRATIONS: readonly string[] = [
  `-- The id is the rowid: an exact 64-bit integer, and the order in which plants lie. STRICT keeps other types out.
   create table plants (
     id integer primary key,
     name text not null,
     tag text
   ) strict;

   -- The text of a token is kept nowhere. Revoked ones stay: a store that had a token never makes a first one again.
   create table tokens (
     hash blob primary key,
     name text not null,
     created_at integer not null,
     expires_at integer,
     revoked_at integer
   ) strict;
   create unique index tokens_in_use on tokens (name) where revoked_at is null;`,

  `-- With spaces between them.
   alter table tokens add column scopes text not null default '';`,
];

/** Marks a database file as a plant store ("plnt"), so that no other application's is touched. */
export const APPLICATION_ID = 0x706c6e74;

/**
 * Brings the schema of a database up to date.
 *
 * It writes even if there is nothing to migrate: a process that was killed inside an fsync leaves rows that can be seen
 * but may not be on disk. Its log (WAL) is this connection's now, and the fsync of this commit covers all of it. So
 * each answer from the database is durable.
 *
 * @throws StoreUnusable, or what SQLite says
 */
export function migrate(database: DatabaseSync, path: string, create: boolean): Schema {
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
  requireTables(`the database ${path}`, readColumns(database), SQL_TYPES);
  database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${now}; commit`);
  return { before, now };
}

/** A primary key of one integer is the rowid, which is never null. */
const SELECT_COLUMNS = `select t.name as "table", c.name as "column", c.type, c."notnull" or c.pk as required
  from sqlite_schema as t join pragma_table_info(t.name) as c where t.type = 'table'`;

function readColumns(database: DatabaseSync): FoundColumn[] {
  const columns = database.prepare(SELECT_COLUMNS).all();
  return columns.map(({ table, column, type, required }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    nullable: required === 0,
  }));
}

function pragma(database: DatabaseSync, name: string): number {
  return Number(database.prepare(`pragma ${name}`).get()?.[name]);
}
