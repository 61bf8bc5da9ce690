import { COLUMN_LIST } from '../columns.ts';
import { type Schema, StoreUnusable } from '../store.ts';
import { Interrupted, SQLSTATE, sqlState } from './errors.ts';
import type { Line } from './line.ts';
import { once, type Run } from './statement.ts';

/**
 * The schema, step by step, each a list of statements; the version of a database is how many of these it has been
 * through. A step that was released is never changed. Statements that CockroachDB and YugabyteDB know too.
 */
export const MIGRATIONS: readonly (readonly string[])[] = [
  [
    'create table plants (id bigint primary key, name text not null, tag text)',
    // The text of a token is kept nowhere. Revoked ones stay, to be listed.
    `create table tokens (
       hash bytea primary key,
       name text not null,
       created_at bigint not null,
       expires_at bigint,
       revoked_at bigint,
       position bigint generated always as identity
     )`,
    'create unique index tokens_in_use on tokens (name) where revoked_at is null',
  ],
];

/**
 * One row: the version, and whether the store ever had a token. Whoever changes the schema locks it, since advisory
 * locks do nothing on CockroachDB.
 */
const CREATE_VERSION = once(
  'create table if not exists schema_version (id bigint primary key, version bigint not null, had_token boolean not null)',
);
const INSERT_VERSION = once('insert into schema_version values (1, 0, false) on conflict do nothing');
const SELECT_VERSION = once('select version from schema_version where id = 1');
const LOCK_VERSION = once('select version from schema_version where id = 1 for update');
/** Fails where a column has no migration. */
const SELECT_NONE = once(`select ${COLUMN_LIST} from plants limit 0`);
const UPDATE_VERSION = once('update schema_version set version = $1::bigint where id = 1');

/** How long a migration may take, and wait for that of another process, in milliseconds. */
const MIGRATION_MS = 600_000;

/**
 * Brings the schema of a database up to date. Any number of processes may do this at once.
 *
 * @throws StoreUnusable, or what PostgreSQL or the system says
 */
export async function openDatabase(line: Line, name: string, create: boolean, until: number): Promise<Schema> {
  return await line.attempt(until, async (run) => {
    const before = await readVersion(run);
    const now = MIGRATIONS.length;
    if (before !== undefined && before > now) {
      const has = `PostgreSQL at ${name} has schema ${before}`;
      throw new StoreUnusable(`${has}, of a newer plant-store; this one knows ${now}`);
    }
    if (before !== now && !create) {
      if (before === undefined) throw new StoreUnusable(`PostgreSQL at ${name} has no plant store`);
      throw new StoreUnusable(`PostgreSQL at ${name} has schema ${before}, an older one: run \`migrate\` first`);
    }
    if (before !== now) {
      await run(CREATE_VERSION).catch(sameMoment);
      await run(INSERT_VERSION);
      await line.transaction(performance.now() + MIGRATION_MS, migrate);
    }
    await run(SELECT_NONE);
    return { before: before ?? 0, now };
  });
}

async function migrate(run: Run): Promise<void> {
  const [row] = await run(LOCK_VERSION);
  const missing = MIGRATIONS.slice(Number(row?.['version']));
  for (const step of missing.flat()) await run(once(step));
  if (missing.length > 0) await run(UPDATE_VERSION, MIGRATIONS.length);
}

/** The version of the schema; undefined: there is none. */
async function readVersion(run: Run): Promise<number | undefined> {
  try {
    const [row] = await run(SELECT_VERSION);
    return row && Number(row['version']);
  } catch (error) {
    if (sqlState(error) === SQLSTATE.tableUnknown) return undefined;
    throw error;
  }
}

/** PostgreSQL's `if not exists` does not look at what is being created at the same moment: it fails on its catalog. */
function sameMoment(error: unknown): never {
  const raced = ['23505', '42P07', '42710'].includes(sqlState(error) ?? '');
  throw raced ? new Interrupted('another process creates the same table', { cause: error }) : error;
}
