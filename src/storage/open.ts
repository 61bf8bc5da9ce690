import type { Opening, Store } from './store.ts';
import { openPostgres } from './postgres/engine.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';

export type StoreLocation = SqliteLocation | PostgresLocation;

/**
 * Opens the store, and makes its content durable before it answers from it.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openStore(location: StoreLocation, opening: Opening): Promise<Store> {
  return await (location.engine === 'sqlite' ? openSqlite(location, opening) : openPostgres(location, opening));
}
