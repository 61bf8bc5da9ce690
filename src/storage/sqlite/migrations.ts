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
];

/** Marks a database file as a plant store ("plnt"), so that no other application's is touched. */
export const APPLICATION_ID = 0x706c6e74;
