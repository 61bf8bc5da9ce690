import { AsyncLocalStorage } from 'node:async_hooks';
import { itemStore } from './items.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import { databaseOf } from './database.ts';
import type { Engine, Opening, Run, Store } from './store.ts';
import { tokenStore } from './tokens.ts';

export type StoreLocation = SqliteLocation | PostgresLocation;

/**
 * Opens the store, and makes its content durable before it answers from it.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openStore(location: StoreLocation, opening: Opening): Promise<Store> {
  const engine = await openEngine(location, opening);
  /** Holds `true` for the work of a transaction. */
  const within = new AsyncLocalStorage<true>();
  // What would be no part of the transaction, and on SQLite would wait for its end.
  const requireOutside = () => {
    if (within.getStore() === true) throw new Error('inside a transaction, ask only the database that it is given');
  };
  const outside = (run: Run) =>
    databaseOf(location.engine, async (statement) => {
      requireOutside();
      return await run(statement);
    });
  const short = outside(engine.runShort);
  const transaction: Store['transaction'] = async (work, { repeatable } = { repeatable: false }) => {
    requireOutside();
    const workOn = (run: Run) => within.run(true, () => work(databaseOf(location.engine, run)));
    return await engine.transaction(workOn, repeatable);
  };
  const items = itemStore(engine, short);
  return {
    opened: engine.opened,
    ready: () => engine.ready(),
    close: () => engine.close(),
    items: {
      ...items,
      create: (item) => {
        requireOutside();
        return items.create(item);
      },
      createAll: (all) => {
        requireOutside();
        return items.createAll(all);
      },
    },
    tokens: tokenStore(short, transaction, opening.observer),
    database: outside(engine.run),
    transaction,
  };
}

async function openEngine(location: StoreLocation, opening: Opening): Promise<Engine> {
  if (location.engine === 'sqlite') return await openSqlite(location, opening);
  // Its client is loaded only where it is used, as it delays a start.
  const { openPostgres } = await import('./postgres/engine.ts');
  return await openPostgres(location, opening);
}
