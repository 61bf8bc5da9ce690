import { STORE_PATIENCE_MS } from '../batches.ts';
import { type FoundColumn, requireSchema, requireTables } from '../schema.ts';
import { type Schema, StoreUnusable } from '../store.ts';
import { TABLES } from '../tables.ts';
import type { Query, Session } from './session.ts';
import { SQL_TYPES } from './values.ts';

/**
 * The schema, step by step, as statements in plpgsql; the version of a database is how many of these it has been
 * through. A step that was released is never changed.
 */
export const MIGRATIONS: readonly string[] = [
  `create table plants (id bigint primary key, name text not null, tag text);

   -- The text of a token is kept nowhere. Revoked ones stay, to be listed.
   create table tokens (
     hash bytea primary key,
     name text not null,
     created_at bigint not null,
     expires_at bigint,
     revoked_at bigint
   );
   create unique index tokens_in_use on tokens (name) where revoked_at is null`,

  `-- With spaces between them.
   alter table tokens add column scopes text not null default ''`,
];

/**
 * All or nothing, and one process at a time: PostgreSQL's `if not exists` does not look at what another one creates at
 * the same moment, so that a lock of its own comes first ("plnt"). The table has one row.
 */
const MIGRATE = `do $migrate$ declare found_version bigint; begin
  perform pg_advisory_xact_lock(x'706c6e74'::int);
  create table if not exists schema_version (id bigint primary key, version bigint not null);
  insert into schema_version values (1, 0) on conflict do nothing;
  select version into found_version from schema_version where id = 1 for update;
  ${MIGRATIONS.map((step, index) => `if found_version <= ${index} then ${step}; end if;`).join('\n')}
  update schema_version set version = ${MIGRATIONS.length} where version < ${MIGRATIONS.length};
end $migrate$`;

/** The columns of tables with these names, where the search path leads. */
const COLUMNS = `select name as "table", attname as "column", format_type(atttypid, atttypmod) as type, attnotnull as required
  from unnest($1::text[]) as name join pg_attribute on attrelid = to_regclass(quote_ident(name))
  where attnum > 0 and not attisdropped order by attrelid, attnum`;

/** How long a migration may take, and wait for that of another process, in milliseconds. */
const MIGRATION_MS = 600_000;

/**
 * Brings the schema of a database up to date. Any number of processes may do this at once.
 *
 * @throws StoreUnusable, or what PostgreSQL or the system says
 */
export async function migrate(session: Session, server: string, create: boolean, until: number): Promise<Schema> {
  return await session.withRetries(async (query) => {
    const found = await readVersion(query, server);
    const now = MIGRATIONS.length;
    if (found === undefined && !create) throw new StoreUnusable(`${server} has no plant store`);
    const before = found ?? 0;
    requireSchema(server, before, now, create);
    if (found !== now) await session.query(performance.now() + MIGRATION_MS, MIGRATE);
    // In a time of its own: the migration may have taken all the other.
    const inTime: Query = (...statement) => session.query(performance.now() + STORE_PATIENCE_MS, ...statement);
    requireTables(server, await readColumns(inTime, Object.keys(TABLES)), SQL_TYPES);
    return { before, now };
  }, until);
}

/** @throws StoreUnusable if the table with the version is not that of a store */
async function readVersion(query: Query, server: string): Promise<number | undefined> {
  const columns = await readColumns(query, ['schema_version', ...Object.keys(TABLES)]);
  const own = columns.filter(({ table }) => table === 'schema_version');
  if (own.length === 0) return undefined;
  const described = own.map(({ column, type, nullable }) => `${column} ${type}${nullable ? '' : ' not null'}`).join();
  if (described === 'id bigint not null,version bigint not null') {
    const { rows } = await query('select id, version from schema_version limit 2');
    const version = Number(rows[0]?.['version']);
    // The first migration makes the row and the tables together.
    if (rows.length === 1 && rows[0]?.['id'] === 1n && (version === 0 || own.length < columns.length)) return version;
  }
  throw new StoreUnusable(
    `${server} has a table schema_version that is not a store's: give the store a database, or a schema, of its own`,
  );
}

async function readColumns(query: Query, tables: readonly string[]): Promise<FoundColumn[]> {
  const { rows } = await query(COLUMNS, tables);
  return rows.map(({ table, column, type, required }) => ({
    table: String(table),
    column: String(column),
    type: String(type),
    nullable: required === false,
  }));
}
