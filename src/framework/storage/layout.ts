import { bytes, int64, optional, table, type Tables, text } from './tables.ts';

/** What a store holds. It is plain data, so that it can be sent to a worker thread. */
export interface Layout {
  /** The name of the service, in messages. */
  readonly name: string;
  /** Four characters of ASCII, which mark a database as a store of this service. */
  readonly marker: string;
  /** All tables, also those of the framework. */
  readonly tables: Tables;
  /** The tables that `backup` and `restore` count. */
  readonly records: readonly string[];
  /** The steps of the schema of a database. A released step must never change. */
  readonly migrations: Migrations;
}

/** The SQL of each step, for each engine. */
export type Migrations = Readonly<Record<'sqlite' | 'postgres', readonly string[]>>;

/** The tables of the framework. */
export const OWN_TABLES = {
  tokens: table(
    {
      hash: bytes(),
      name: text(),
      /** Separated by spaces. */
      scopes: text(),
      created_at: int64(),
      expires_at: optional(int64()),
      revoked_at: optional(int64()),
    },
    'hash',
  ),
};

const OWN_MIGRATIONS: Migrations = {
  sqlite: [
    `-- The store keeps no texts of tokens. Revoked tokens stay, so that a first token is never created again.
   create table tokens (
     hash blob primary key,
     name text not null,
     created_at integer not null,
     expires_at integer,
     revoked_at integer
   ) strict;
   create unique index tokens_in_use on tokens (name) where revoked_at is null`,
    `-- Separated by spaces.
   alter table tokens add column scopes text not null default ''`,
  ],
  postgres: [
    `create table tokens (
     hash bytea primary key,
     name text not null,
     created_at bigint not null,
     expires_at bigint,
     revoked_at bigint
   );
   create unique index tokens_in_use on tokens (name) where revoked_at is null`,
    `alter table tokens add column scopes text not null default ''`,
  ],
};

/** The part of a service that its store needs. */
interface Described extends Omit<Layout, 'records'> {
  readonly records: Readonly<Record<string, string>>;
}

/**
 * Adds the framework's own tables and steps to those of a service. The first step of both is one, as in the first release;
 * the framework's others come before those of the service, which alone may grow.
 */
export function layoutOf({ name, marker, tables, records, migrations }: Described): Layout {
  const reserved = Object.keys(OWN_TABLES).find((own) => Object.hasOwn(tables, own));
  if (!/^[!-~]{4}$/.test(marker)) throw new Error(`the marker ${marker} must be four characters of ASCII`);
  if (reserved !== undefined) throw new Error(`the framework has a table ${reserved} of its own: choose another name`);
  const both = (engine: keyof Migrations) => {
    const [[own = '', ...others], [first = '', ...later]] = [OWN_MIGRATIONS[engine], migrations[engine]];
    return [`${first};\n${own}`, ...others, ...later];
  };
  return {
    name,
    marker,
    tables: { ...tables, ...OWN_TABLES },
    records: Object.keys(records),
    migrations: { sqlite: both('sqlite'), postgres: both('postgres') },
  };
}
