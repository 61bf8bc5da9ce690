import type { Migrations } from '#framework';

/** A released step must never change. */
export const migrations: Migrations = {
  sqlite: [
    `-- The id is the rowid: an exact 64-bit integer, and the order of the rows on disk. STRICT keeps other types out.
   create table plants (
     id integer primary key,
     name text not null,
     tag text
   ) strict`,
  ],
  postgres: [
    `create table plants (
     id bigint primary key,
     name text not null,
     tag text
   )`,
  ],
};
