/**
 * Rows, on SQLite or PostgreSQL. An operation calls `create`, `get`, a query of Kysely (database.ts) or `transaction`; its
 * values are encoded at the call (values.ts), and a statement in the SQL of the engine waits in a queue: of writes (queue.ts)
 * or of reads, by turns of callers (turns.ts). The engine takes what waits, commits it at once, and answers after the fsync: a
 * thread of SQLite (sqlite/), or sessions of a pool (postgres/). Out come rows whose values are decoded by the kinds of
 * their columns (tables.ts, rows.ts).
 *
 * What may fail: a constraint (ConstraintViolated), a value that no column can have (ValueRefused), the store itself
 * (StoreUnavailable: a retry may succeed, and the write may have happened). A failure of one leaves its neighbours of the
 * commit as they were. Nothing here sees HTTP: whose turn it is, is an opaque key (caller.ts).
 *
 * @module
 */
import type { Kysely } from 'kysely';
import type { Added, Kept, KeyOf, Queried, Row as RowOf, Stored, Tables, Written } from './tables.ts';

/** `replayed`: the same row exists already; `conflict`: the key belongs to a different row, which stays unchanged. */
export type Creation = 'created' | 'replayed' | 'conflict';

/**
 * Runs Kysely queries (https://kysely.dev) on either engine. When a query resolves, its writes are durable. So are the
 * rows that it reads, unless PostgreSQL loses its standby at that moment.
 *
 * @throws StoreUnavailable if a retry may succeed; the query may have taken effect nevertheless
 * @throws ConstraintViolated
 */
export type Database<T = Tables> = Pick<Kysely<Queried<T>>, 'selectFrom' | 'deleteFrom'> &
  Pick<Kysely<Written<T>>, 'insertInto' | 'updateTable'>;

/** What an operation does with the tables of its service, outside a transaction and within one. */
export interface Queries<Of = Tables> {
  /**
   * Stores a row unless its key exists, and recognises one that it has stored before. Resolves, outside a transaction,
   * only when the row is on disk, also a replayed one.
   *
   * @param row what the client sent: the same row again is `replayed`, another one with its key is a `conflict`
   * @param added columns that the service adds, such as a time or a version: they are not compared
   * @throws ConstraintViolated if another constraint than the key forbids the row
   * @throws ValueRefused if a text has U+0000, or the key is too long
   * @throws StoreUnavailable if a retry may succeed; the row may have been stored nevertheless
   */
  readonly create: <
    Name extends keyof Of & string,
    Given extends Omit<RowOf<Of[Name]>, More>,
    More extends keyof Added<Of[Name]> = never,
  >(
    table: Name,
    row: Kept<Given, Omit<RowOf<Of[Name]>, More>>,
    added?: Pick<Added<Of[Name]>, More>,
  ) => Promise<Creation>;
  /**
   * Reads the row of a key, as a query of `database` would.
   *
   * @param key a value for each column of the primary key: `get('items', { id })`
   * @returns undefined if there is no such row
   * @throws StoreUnavailable
   */
  readonly get: <Name extends keyof Of & string, Given extends KeyOf<Of[Name]>>(
    table: Name,
    key: Kept<Given, KeyOf<Of[Name]>>,
  ) => Promise<Stored<Of[Name]> | undefined>;
  readonly database: Database<Of>;
}

/**
 * Runs `work` as one serializable transaction: all that it writes takes effect, durably, or nothing does. After a
 * conflict with another writer, or if it holds SQLite too long, the engine runs `work` again. So `work` may only use and
 * await the queries that it receives; any other call to the store throws.
 *
 * @param repeatable whether to run `work` again if the answer to its commit is lost, although it may have taken effect
 * @throws what a query or `work` throws, after a rollback; a failed query rolls back even if `work` catches the error
 */
export type Transaction<Of = Tables> = <T>(
  work: (queries: Queries<Of>) => Promise<T>,
  options?: { repeatable: boolean },
) => Promise<T>;
