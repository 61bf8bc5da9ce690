import { AsyncLocalStorage } from 'node:async_hooks';
import type { Layout } from './layout.ts';
import { listing } from './listing.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import { databaseOf } from './database.ts';
import { formatsOf } from './rows.ts';
import type { Engine, NewRow, Opening, Queries, Row, Store, Transaction, Within } from './store.ts';
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
    throw new Error('inside a transaction, use only the `create` and the `database` that your function receives');
  };
  const outside =
    <Given extends readonly unknown[], Result>(query: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> => {
      requireOutside();
      return query(...given);
    };
  const queriesOf = <Of = Tables>({ run, create }: Within): Queries<Of> => ({
    create: (table, row, added) => create(newRow(table, row, added)),
    database: databaseOf<Of>(location.engine, run),
  });
  const transactionOf =
    <Of = Tables>(): Transaction<Of> =>
    async (work, { repeatable } = { repeatable: false }) => {
      requireOutside();
      const workOn = (within: Within) => inTransaction.run(true, () => work(queriesOf<Of>(within)));
      return await engine.transaction(workOn, repeatable);
    };
  const [run, runShort] = [outside(engine.run), outside(engine.runShort)];
  return {
    layout,
    opened: engine.opened,
    ready: () => engine.ready(),
    close: () => engine.close(),
    ...queriesOf({ run, create: outside((row: NewRow) => engine.create(row)) }),
    waiting: () => engine.waiting(),
    run,
    ...listing(engine, databaseOf(location.engine, runShort), formatsOf(layout.tables)),
    tokens: tokenStore(databaseOf(location.engine, runShort), transactionOf(), opening.observer),
    transaction: transactionOf(),
  };
}

function newRow(table: string, row: Row, added: Row | undefined): NewRow {
  return added === undefined ? { table, row } : { table, row: { ...row, ...added }, added: Object.keys(added) };
}

async function openEngine(layout: Layout, location: StoreLocation, opening: Opening): Promise<Engine> {
  if (location.engine === 'sqlite') return await openSqlite(layout, location, opening);
  // Loading the client of PostgreSQL takes time, so a start on SQLite does not load it.
  const { openPostgres } = await import('./postgres/engine.ts');
  return await openPostgres(layout, location, opening);
}
