import type { Kysely } from 'kysely';
import { ExplainedError } from 'trellis-contract/ground';
import type { Layout } from './layout.ts';
import type { Added, Kept, KeyOf, Queried, Row as RowOf, Stored, Tables, Written } from './tables.ts';

export { ValueRefused } from './values.ts';

/** `replayed`: the same row exists already; `conflict`: the key belongs to a different row, which stays unchanged. */
export type Creation = 'created' | 'replayed' | 'conflict';

/**
 * A row to store: its table, the columns that do not decide whether it is a replay, and the values of all columns in their
 * order. An array, as a message with an object for each row takes 1.5 µs a row longer to reach another thread.
 */
export type NewRow = readonly [table: string, added: readonly string[] | undefined, ...values: unknown[]];

/** A row to look up: its table, and the values of its key in the order of the key's columns. */
export type LookUp = readonly [table: string, ...key: unknown[]];

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

/** The store never sees the text of a token. Times are in milliseconds since 1970. */
export interface StoredToken {
  /** Unique among the tokens that are not revoked. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface NewToken extends Pick<StoredToken, 'name' | 'scopes' | 'expiresAt'> {
  readonly hash: Uint8Array;
}

/** Every method may throw StoreUnavailable, as `Engine.create` does. */
export interface TokenStore {
  find(hash: Uint8Array): Promise<StoredToken | undefined>;
  /** Adds a token durably. Returns false if its name is in use. May be repeated with the same token. */
  add(token: NewToken): Promise<boolean>;
  /** Adds a token only if the store never had one. Of several processes that call this at once, one succeeds. */
  addFirst(token: NewToken): Promise<boolean>;
  /** All tokens, oldest first, including revoked ones. */
  list(): Promise<readonly StoredToken[]>;
  /** Revokes a token for all processes. Returns false if no valid token has this name. */
  revoke(name: string): Promise<boolean>;
  /** Deletes a token durably, as if it had never been added. */
  delete(hash: Uint8Array): Promise<void>;
}

/** Versions of the schema: before the store was opened, and now. */
export interface StoreSchema {
  readonly before: number;
  readonly now: number;
  /** The names that the opening has added to the list of steps. A version that lacks one now refuses the store. */
  readonly steps: readonly string[];
}

/** A statement in the SQL of one engine, with values of the kinds in tables.ts. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly writes: boolean;
}

/** A row whose values are decoded by the kinds in tables.ts. */
export type AnyRow = Readonly<Record<string, unknown>>;

export interface Result {
  readonly rows: readonly AnyRow[];
  /** The number of rows written. */
  readonly changes: bigint;
}

/** Runs one statement and throws as `Database` does. */
export type Run = (statement: Statement) => Promise<Result>;

export type Within = Pick<Engine, 'run' | 'create'>;

/** Calls `end` with an error when a run takes too long, unless the function that it returns is called before. */
export type Limit = (end: (error: Error) => void) => () => void;

/** A run of a transaction's function. */
export type Work<T> = (within: Within, limit: Limit) => Promise<T>;

/** A gauge of the metrics. `value` rejects if the number is not known. */
export interface Measured {
  /** The end of the metric's name. */
  readonly name: string;
  readonly help: string;
  readonly value: () => number | Promise<number>;
}

/** Everything that differs between SQLite and PostgreSQL. Each engine stores rows in batches, without Kysely, for speed. */
export interface Engine {
  /**
   * Stores a row unless its key exists. Resolves only when the row, created or replayed, would survive a power loss. Of
   * rows with the same key that arrive together, exactly one is created. A row that cannot be stored fails alone; the
   * other rows of its batch are stored.
   *
   * @throws StoreUnavailable if a retry may succeed; the row may have been stored nevertheless
   * @throws ConstraintViolated if the key is new, and another constraint forbids the row
   */
  readonly create: (row: NewRow) => Promise<Creation>;
  /** Reads the row of a key, as `Queries.get` returns it. Look-ups of a table that wait are read together. */
  readonly get: (lookUp: LookUp) => Promise<AnyRow | undefined>;
  readonly gauges: readonly Measured[];
  /** Resolves when the store is open; until then every other call throws StoreUnavailable. @throws StoreUnusable */
  readonly opened: Promise<StoreSchema>;
  readonly run: Run;
  /** Only for statements that take a few milliseconds, as `create` may wait for them. */
  readonly runShort: Run;
  transaction<T>(work: Work<T>, repeatable: boolean): Promise<T>;
  /** Reads the rows of a SELECT from one snapshot, in portions of `size` rows. */
  portions(statement: Statement, size: number): AsyncGenerator<readonly AnyRow[]>;
  /**
   * Does all that `create` does, except that it stores nothing. If the last batch failed, it tries a row of it.
   *
   * @throws Error if a create would fail now
   */
  ready(): Promise<void>;
  /** The tables that the operator has spread over several servers, which share no transaction. */
  spread(): readonly string[];
  /** Finishes the work under way. No call may follow. */
  close(): Promise<void>;
}

export interface Store extends Queries, Pick<Engine, 'opened' | 'run' | 'ready' | 'close' | 'gauges'> {
  readonly layout: Layout;
  /**
   * Reads all rows of a table in one snapshot, ordered by its key. @throws StoreUnavailable, also if the caller reads
   * nothing for 2 minutes
   *
   * @param columns all of them by default
   */
  list(table: string, columns?: readonly string[]): AsyncIterable<readonly AnyRow[]>;
  /** Counts the rows of a table; writes during the count may be missed. @throws StoreUnavailable */
  count(table: string): Promise<number>;
  /**
   * Removes a row durably. Returns false if its key does not exist. @throws StoreUnavailable, ConstraintViolated
   *
   * @param key the value of the only column of the key
   */
  remove(table: string, key: unknown): Promise<boolean>;
  readonly tokens: TokenStore;
  readonly transaction: Transaction;
}

export interface Opening {
  /** Whether to create a missing store and to migrate an old one. */
  readonly create: boolean;
  /**
   * Called whenever the server is unreachable. With this callback `openStore` returns at once, and the store opens as
   * soon as the server answers; without it, `openStore` fails.
   */
  readonly onUnreachable?: (error: StoreUnavailable) => void;
  /** Called when other tables than before are spread over several servers, also before the store opens. */
  readonly onSpread?: (tables: readonly string[]) => void;
  readonly observer?: StoreObserver | undefined;
  /** Whether to leave the lock of SQLite to other processes after each batch, as a command that stores many rows must. */
  readonly yields?: boolean;
}

export interface StoreObserver {
  /** Called after each batch, failed ones included. @param ms how long the engine took */
  written(writes: number, ms: number): void;
  answered(creation: Creation, table: string): void;
  /** Called when a creation, the look-up of a token, a query or a transaction of an operation fails in the store. */
  failed(error: unknown): void;
}

/** The store cannot work at the moment: it is full, locked or gone, for example. */
export class StoreUnavailable extends ExplainedError {
  override readonly name = 'StoreUnavailable';
}

/** A thread of the store has ended. If it wrote, only a new process can use the store again. */
export class ThreadEnded extends StoreUnavailable {}

/** The store cannot be opened until the operator acts. The message names the fault in one line. */
export class StoreUnusable extends ExplainedError {
  override readonly name = 'StoreUnusable';
}

export type Constraint = 'unique' | 'foreign key' | 'not null' | 'check';

/** A statement had no effect, as it would break a constraint. The message is for the log. */
export class ConstraintViolated extends ExplainedError {
  override readonly name = 'ConstraintViolated';
  readonly constraint: Constraint;

  constructor(constraint: Constraint, message: string, options?: ErrorOptions) {
    super(message, options);
    this.constraint = constraint;
  }
}
