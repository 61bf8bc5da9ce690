import { AsyncLocalStorage } from 'node:async_hooks';
import type { Layout } from './layout.ts';
import { listing } from './listing.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import { databaseOf } from './database.ts';
import { formatsOf } from './rows.ts';
import type { Engine, Opening, Run, Store, Transaction } from './store.ts';
import type { Tables } from './tables.ts';
import { tokenStore } from './tokens.ts';

export type StoreLocation = SqliteLocation | PostgresLocation;

/** Opens a store of the layout at a place. @throws StoreUnusable, StoreUnavailable */
export async function openStore(layout: Layout, location: StoreLocation, opening: Opening): Promise<Store> {
  const engine = await openEngine(layout, location, opening);
  const inTransaction = new AsyncLocalStorage<true>();
  // A call to the store would not belong to the transaction, and on SQLite it would wait for the transaction to end.
  const requireOutside = () => {
    if (inTransaction.getStore() !== true) return;
    throw new Error('inside a transaction, query only the database that your function receives');
  };
  const outside = <Of = Tables>(run: Run) =>
    databaseOf<Of>(location.engine, async (statement) => {
      requireOutside();
      return await run(statement);
    });
  const transactionOf =
    <Of = Tables>(): Transaction<Of> =>
    async (work, { repeatable } = { repeatable: false }) => {
      requireOutside();
      const workOn = (run: Run) => inTransaction.run(true, () => work(databaseOf<Of>(location.engine, run)));
      return await engine.transaction(workOn, repeatable);
    };
  return {
    layout,
    opened: engine.opened,
    ready: () => engine.ready(),
    close: () => engine.close(),
    create: (table, row) => {
      requireOutside();
      return engine.create(table, row);
    },
    waiting: () => engine.waiting(),
    ...listing(engine, outside(engine.runShort), formatsOf(layout.tables)),
    tokens: tokenStore(outside(engine.runShort), transactionOf(), opening.observer),
    database: outside(engine.run),
    transaction: transactionOf(),
  };
}

async function openEngine(layout: Layout, location: StoreLocation, opening: Opening): Promise<Engine> {
  if (location.engine === 'sqlite') return await openSqlite(layout, location, opening);
  // Loading the client of PostgreSQL takes time, so a start on SQLite does not load it.
  const { openPostgres } = await import('./postgres/engine.ts');
  return await openPostgres(layout, location, opening);
}
