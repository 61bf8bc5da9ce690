import { AsyncLocalStorage } from 'node:async_hooks';
import { itemStore } from './items.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import { databaseOf } from './database.ts';
import type { Engine, Opening, Run, Store } from './store.ts';
import { tokenStore } from './tokens.ts';

export type StoreLocation = SqliteLocation | PostgresLocation;

export async function openStore(location: StoreLocation, opening: Opening): Promise<Store> {
  const engine = await openEngine(location, opening);
  const inTransaction = new AsyncLocalStorage<true>();
  // A call to the store would not belong to the transaction, and on SQLite it would wait for the transaction to end.
  const requireOutside = () => {
    if (inTransaction.getStore() !== true) return;
    throw new Error('inside a transaction, query only the database that your function receives');
  };
  const outside = (run: Run) =>
    databaseOf(location.engine, async (statement) => {
      requireOutside();
      return await run(statement);
    });
  const short = outside(engine.runShort);
  const transaction: Store['transaction'] = async (work, { repeatable } = { repeatable: false }) => {
    requireOutside();
    const workOn = (run: Run) => inTransaction.run(true, () => work(databaseOf(location.engine, run)));
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
  // Loading the client of PostgreSQL takes time, so a start on SQLite does not load it.
  const { openPostgres } = await import('./postgres/engine.ts');
  return await openPostgres(location, opening);
}
