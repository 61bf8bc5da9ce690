import type { Row } from '../columns.ts';
import { StoreUnusable } from '../store.ts';
import { Interrupted } from './errors.ts';
import { nameOf, type PostgresLocation } from './location.ts';

/** What each session must have, to keep what it is given as it is; without array_nulls null becomes the text `null`. */
const OF_SESSION = { synchronous_commit: 'on', array_nulls: 'on' };
/** What the server must have besides; what it does not know of (CockroachDB) it need not have. */
const WANTED: Readonly<Record<string, string>> = { ...OF_SESSION, fsync: 'on', server_encoding: 'UTF8' };

/** For each session, over the defaults of the server, the database and the user. */
const SET = {
  ...OF_SESSION,
  default_transaction_isolation: 'read\\ committed',
  // A list waits for its reader.
  idle_in_transaction_session_timeout: '0',
};
export const OPTIONS = Object.entries(SET)
  .map(([name, value]) => `-c ${name}=${value}`)
  .join(' ');

/** Asked of each new connection: another server may be behind it, or a pooler that drops what the session sets. */
export const CHECK = `select pg_backend_pid() as pid, current_schema() as schema,
  current_setting('transaction_read_only') as read_only, ${Object.keys(WANTED)
    .map((name) => `current_setting('${name}', true) as ${name}`)
    .join()}`;

/** @throws StoreUnusable, or Interrupted if the server takes no writes: it may do so soon, or another host */
export function requireSettings(location: PostgresLocation, row: Row | undefined): void {
  const server = `PostgreSQL at ${nameOf(location)}`;
  for (const [setting, wanted] of Object.entries(WANTED)) {
    const value = row?.[setting] ?? wanted;
    if (value === wanted) continue;
    const has = `${server} has ${setting} = ${JSON.stringify(value)}`;
    throw new StoreUnusable(`${has}: the store needs ${wanted}, to keep what it is given`);
  }
  if (row?.['schema'] === null) {
    throw new StoreUnusable(`${server} has no schema for this user's tables: set a search_path that names one`);
  }
  if (row?.['read_only'] !== 'off') throw new Interrupted('the server takes no writes');
}
