import { AsyncLocalStorage } from 'node:async_hooks';
import type { Layout } from './layout.ts';
import { listing } from './listing.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import { type Asked, databaseOf } from './database.ts';
import { formatsOf, newLookUp, newRow, RowFormat, statementOf } from './rows.ts';
import type { AnyRow, Limit, LookUp, NewRow, Statement, Within } from './engine.ts';
import type { Creation, Queries, Transaction } from './queries.ts';
import type { Opening, Store } from './store.ts';
import { StoreUnavailable, StoreUnusable } from './store-errors.ts';
import { type Stored, type Tables, withoutNulls } from './tables.ts';
import { tokenStore } from './tokens.ts';
import { type Asking, doWork } from './transaction.ts';
import { resultOf } from './values.ts';

export type StoreLocation = SqliteLocation | PostgresLocation;

/** Opens a store of the layout at a place. @throws StoreUnusable, StoreUnavailable */
export async function openStore(layout: Layout, location: StoreLocation, opening: Opening): Promise<Store> {
  // Loading the client of PostgreSQL takes time, so a start on SQLite does not load it.
  const engine =
    location.engine === 'sqlite'
      ? await openSqlite(layout, location, opening)
      : await (await import('./postgres/engine.ts')).openPostgres(layout, location, opening);
  const inTransaction = new AsyncLocalStorage();
  // A call to the store would not belong to the transaction, and on SQLite it would wait for the transaction to end.
  const misplaced = () =>
    inTransaction.getStore() === undefined
      ? undefined
      : new Error('inside a transaction, use only `create`, `get` and `database` that your function receives');
  const outside =
    <Given, Result>(query: (given: Given) => Promise<Result>) =>
    (asked: Asked<Given>): Promise<Result> => {
      const fault = misplaced() ?? (Error.isError(asked) ? asked : undefined);
      return fault === undefined ? query(asked as Given) : Promise.reject(fault);
    };
  const requireTogether = (isNamed: (table: string) => boolean) => {
    const table = engine.spread().find(isNamed);
    if (table === undefined) return;
    // Each server isolates its own part of a transaction, and none sees whether the parts fit together.
    throw new StoreUnavailable(
      `a transaction uses the table ${table}, which is spread over several servers: run select undistribute_table('${table}')`,
    );
  };
  const { observer } = opening;
  const formats = formatsOf(layout.tables, RowFormat);
  const create = outside((row: NewRow) => {
    const answer = engine.create(row);
    if (observer === undefined) return answer;
    const [table] = row;
    answer.then(
      (creation) => observer.answered(creation, table),
      (error: unknown) => observer.failed(error),
    );
    return answer;
  });
  const counted = <Result>(result: Promise<Result>): Promise<Result> => {
    result.catch((error: unknown) => {
      // Any other error is the fault of the query, or was thrown by the work of a transaction.
      if (error instanceof StoreUnavailable || error instanceof StoreUnusable) observer?.failed(error);
    });
    return result;
  };
  const queriesOf = <Of = Tables>({ run, create, get }: Asking): Queries<Of> => ({
    // Not async: a promise of its own would cost each request three more turns of the queue of microtasks.
    create: (table, row, added) => create(resultOf(() => newRow(formats, table, row, added))),
    // The start has compared the table with its description.
    get: <Name extends keyof Of & string>(table: Name, key: AnyRow) => {
      const lookUp = resultOf(() => newLookUp(formats, table, key));
      return (lookUp === undefined ? Promise.resolve() : get(lookUp)) as Promise<Stored<Of[Name]> | undefined>;
    },
    database: databaseOf<Of>(location.engine, run),
  });
  const transactionOf =
    <Of = Tables>(): Transaction<Of> =>
    async (work, { repeatable } = { repeatable: false }) => {
      const fault = misplaced();
      if (fault !== undefined) throw fault;
      let answers: (readonly [Creation, string])[] = [];
      // The engine may call this again, after a rollback.
      const workOn = (within: Within, limit: Limit) => {
        const begun: typeof answers = [];
        answers = begun;
        const run = async (statement: Statement) => {
          requireTogether((table) => statement.sql.includes(`"${table}"`));
          return await within.run(statement);
        };
        const remember = async (row: NewRow) => {
          const [table] = row;
          requireTogether((spread) => spread === table);
          const creation = await within.create(row);
          begun.push([creation, table]);
          return creation;
        };
        const get = async (lookUp: LookUp) => {
          const [row] = (await run(statementOf(formats, location.engine, lookUp))).rows;
          return row && withoutNulls(row);
        };
        return doWork((own) => work(queriesOf<Of>(own)), { run, create: remember, get }, limit, inTransaction);
      };
      const result = await counted(engine.transaction(workOn, repeatable));
      for (const answer of answers) observer?.answered(...answer);
      return result;
    };
  const run = outside((statement: Statement) => counted(engine.run(statement)));
  const get = outside((lookUp: LookUp) => counted(engine.get(lookUp)));
  const runShort = outside(engine.runShort);
  const countedShort = (statement: Asked<Statement>) => counted(runShort(statement));
  return {
    layout,
    opened: engine.opened,
    ready: () => engine.ready(),
    close: () => engine.close(),
    ...queriesOf({ run, create, get }),
    gauges: engine.gauges,
    run,
    ...listing(engine, databaseOf(location.engine, runShort), formats),
    tokens: tokenStore(databaseOf(location.engine, countedShort), transactionOf()),
    transaction: transactionOf(),
  };
}
