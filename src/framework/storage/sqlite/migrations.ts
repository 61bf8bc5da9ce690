import type { DatabaseSync } from 'node:sqlite';
import { requireSchema, requireTables, toColumns } from '../schema.ts';
import { type Schema, StoreUnusable } from '../store.ts';
import { SQL_TYPES } from './values.ts';

/** `user_version` counts the steps that a database has been through. A released step must never change. */
export const MIGRATIONS: readonly string[] = [
  `-- The id is the rowid: an exact 64-bit integer, and the order of the rows on disk. STRICT keeps other types out.
   create table plants (
     id integer primary key,
     name text not null,
     tag text
   ) strict;

   -- The store keeps no texts of tokens. Revoked tokens stay, so that a first token is never created again.
   create table tokens (
     hash blob primary key,
     name text not null,
     created_at integer not null,
     expires_at integer,
     revoked_at integer
   ) strict;
   create unique index tokens_in_use on tokens (name) where revoked_at is null;`,

  `-- Separated by spaces.
   alter table tokens add column scopes text not null default '';`,
];

/** "plnt" in ASCII marks a database file as a plant store: the service changes no other application's file. */
export const APPLICATION_ID = 0x706c6e74;

/**
 * Migrates a database, and commits a write even if it is up to date: a process that was killed during an fsync leaves
 * rows that are visible but may not be on disk. The fsync of this commit covers the whole log (WAL), so whatever the
 * service then reads is durable.
 */
export function migrate(database: DatabaseSync, path: string, create: boolean): Schema {
  database.exec('begin immediate');
  requireOwn(database, path);
  const now = MIGRATIONS.length;
  const before = pragma(database, 'user_version');
  requireSchema(`the database ${path}`, before, now, create);
  for (const migration of MIGRATIONS.slice(before)) database.exec(migration);
  requireTables(`the database ${path}`, toColumns(database.prepare(SELECT_COLUMNS).all()), SQL_TYPES);
  database.exec(`pragma application_id = ${APPLICATION_ID}; pragma user_version = ${now}; commit`);
  return { before, now };
}

/** @throws StoreUnusable unless the database is a store or empty */
export function requireOwn(database: DatabaseSync, path: string): void {
  const owner = pragma(database, 'application_id');
  if (owner === APPLICATION_ID) return;
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
