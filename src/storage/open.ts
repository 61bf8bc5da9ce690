import { itemStore } from './items.ts';
import { openPostgres } from './postgres/engine.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import type { Opening, Store } from './store.ts';
import { tokenStore } from './tokens.ts';

export type StoreLocation = SqliteLocation | PostgresLocation;

/**
 * Opens the store, and makes its content durable before it answers from it.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openStore(location: StoreLocation, opening: Opening): Promise<Store> {
  const opened = location.engine === 'sqlite' ? openSqlite(location, opening) : openPostgres(location, opening);
  // Kysely has some 250 files, which are loaded while the engine opens.
  const [engine, { databaseOf }] = await Promise.all([opened, import('./database.ts')]);
  const short = databaseOf(location.engine, engine.runShort);
  const transaction: Store['transaction'] = (work, { repeatable } = { repeatable: false }) =>
    engine.transaction((run) => work(databaseOf(location.engine, run)), repeatable);
  return {
    opened: engine.opened,
    ready: () => engine.ready(),
    close: () => engine.close(),
    items: itemStore(engine, short),
    tokens: tokenStore(short, transaction, opening.observer),
    database: databaseOf(location.engine, engine.run),
    transaction,
  };
}
