import type { Migrations } from '#framework';

const KINDS = {
  sqlite: {
    text: 'text',
    int64: 'integer',
    int32: 'integer',
    number: 'real',
    boolean: 'integer',
    timestamp: 'integer',
    bytes: 'blob',
    json: 'text',
  },
  postgres: {
    text: 'text',
    int64: 'bigint',
    int32: 'integer',
    number: 'double precision',
    boolean: 'boolean',
    timestamp: 'timestamp with time zone',
    bytes: 'bytea',
    json: 'jsonb',
  },
};

const columnsOf = (types: Readonly<Record<string, string>>) =>
  Object.entries(types)
    .map(([kind, type]) => `"${kind}" ${type} not null, ${kind}_or_null ${type}`)
    .join();

export const migrations: Migrations = {
  sqlite: [
    `create table items (id integer primary key, name text not null, tag text) strict;
     create table kinds (id integer primary key, ${columnsOf(KINDS.sqlite)}) strict;
     create table notes (
       item integer not null references items (id), line text not null, body text not null, primary key (item, line)
     ) strict;
     create table members (
       id text primary key not null, email text not null unique, level text not null, tags text not null,
       joined_at integer not null, version integer not null, left_at integer
     ) strict`,
  ],
  postgres: [
    `create table items (id bigint primary key, name text not null, tag text);
     create table kinds (id bigint primary key, ${columnsOf(KINDS.postgres)});
     create table notes (
       item bigint not null references items (id), line text not null, body text not null, primary key (item, line)
     );
     create table members (
       id text primary key, email text not null unique, level text not null, tags jsonb not null,
       joined_at timestamp with time zone not null, version bigint not null, left_at timestamp with time zone
     )`,
  ],
};
