import type { Row } from '../columns.ts';
import { StoreUnusable } from '../plant-store.ts';
import { statement } from './client.ts';
import { Interrupted } from './errors.ts';
import type { PostgresLocation } from './location.ts';
import { nameOf } from './location.ts';

/** What a server must be set to, to keep what it is given; what it does not know of (CockroachDB) it need not have. */
const WANTED: Readonly<Record<string, string>> = { fsync: 'on', synchronous_commit: 'on', server_encoding: 'UTF8' };

/** Asked of each new connection: another server may be behind it, or a pooler that keeps what the session sets. */
export const CHECK = statement(
  `select current_setting('transaction_read_only') as read_only, ${Object.keys(WANTED)
    .map((name) => `current_setting('${name}', true) as ${name}`)
    .join()}`,
);

/** @throws StoreUnusable, or Interrupted if the server takes no writes: it may do so soon, or another host */
export function requireSettings(location: PostgresLocation, row: Row | undefined): void {
  for (const [setting, wanted] of Object.entries(WANTED)) {
    const value = row?.[setting] ?? wanted;
    if (value === wanted) continue;
    const has = `PostgreSQL at ${nameOf(location)} has ${setting} = ${JSON.stringify(value)}`;
    throw new StoreUnusable(`${has}: the store needs ${wanted}, to keep what it is given`);
  }
  if (row?.['read_only'] !== 'off') throw new Interrupted('the server takes no writes');
}
