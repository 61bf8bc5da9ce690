import type { AnyRow } from '../engine.ts';
import { StoreUnusable } from '../store-errors.ts';
import { InterruptedError } from './errors.ts';

/** Each session sets these over the defaults of the server, the database and the user, and checks that they are set. */
const SESSION = {
  synchronous_commit: 'on',
  // If off, the server turns null in an array into the text `null`.
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  bytea_output: 'hex',
  extra_float_digits: '1',
  // With another style, pg would read each timestamp as null.
  DateStyle: 'ISO',
  IntervalStyle: 'postgres',
  // If on, the server quotes names of types, which the start compares.
  quote_all_identifiers: 'off',
  // The server then warns when a commit did not wait for its standby.
  client_min_messages: 'notice',
};

/** Each session sets these too, but does not check them, as a pooler may ignore them. The store has its own timeouts. */
export const OPTIONS = {
  ...SESSION,
  default_transaction_isolation: 'read committed',
  TimeZone: 'UTC',
  statement_timeout: '0',
  lock_timeout: '0',
  idle_session_timeout: '0',
  // The transaction of a list waits for the reader.
  idle_in_transaction_session_timeout: '0',
  // Citus would open more connections to its workers for one batch, which takes longer than the batch. Plain PostgreSQL
  // ignores it.
  'citus.max_adaptive_executor_pool_size': '1',
};

const REQUIRED = { ...SESSION, fsync: 'on', server_encoding: 'UTF8' };

/**
 * Runs on each new connection, which may lead to another server, or through a pooler that drops settings. What follows
 * the comma of DateStyle is the order of day and month, on which ISO does not depend.
 */
export const CHECK = `select pg_backend_pid() as pid, current_schema() as schema,
  current_setting('transaction_read_only') as read_only,
  ${Object.keys(REQUIRED)
    .map((name) => `split_part(current_setting('${name}'), ',', 1) as "${name}"`)
    .join()}`;

/** @throws StoreUnusable, or InterruptedError if the server is read-only: that may change, or another host may write */
export function requireSettings(server: string, row: AnyRow): void {
  for (const [setting, required] of Object.entries(REQUIRED)) {
    if (row[setting] === required) continue;
    throw new StoreUnusable(`${server} has ${setting} = ${String(row[setting])}: the store needs ${required}`);
  }
  if (row['schema'] === null) {
    throw new StoreUnusable(`${server} has no schema on this user's search_path: set a search_path that names one`);
  }
  if (row['read_only'] !== 'off') throw new InterruptedError('the server is read-only (transaction_read_only is on)');
}
