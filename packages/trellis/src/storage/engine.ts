import type { Creation } from './queries.ts';

/**
 * A row to store: its table, the columns that do not decide whether it is a replay, and the values of all columns in their
 * order. An array, as a message with an object for each row takes 1.5 µs a row longer to reach another thread.
 */
export type NewRow = readonly [table: string, added: readonly string[] | undefined, ...values: unknown[]];

/** A row to look up: its table, and the values of its key in the order of the key's columns. */
export type LookUp = readonly [table: string, ...key: unknown[]];

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
