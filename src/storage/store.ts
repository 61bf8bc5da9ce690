import type { Kysely } from 'kysely';
import { ExplainedError } from '../explained-error.ts';
import type { Item, Tables } from './tables.ts';

export type { Item } from './tables.ts';

/**
 * What became of an item: stored now; there already, the same; or its id belongs to an item with another content, which
 * stays as it is.
 */
export type Creation = 'created' | 'replayed' | 'conflict';

/** What became of one of many items, or why it cannot be told. */
export type Outcome = Creation | Error;

/** What an engine does by its own hand, as it must be fast: it stores items in batches. */
export interface Creator {
  /**
   * Stores an item unless its id exists. Resolves only when the item, also a replayed one, would survive the loss of
   * power. Of items with one id that come at the same time exactly one is created. An item that cannot be stored fails
   * alone, and no item that is stored with it.
   *
   * @throws StoreUnavailable if the same call may succeed later; the item may have been stored all the same
   */
  create(item: Item): Promise<Creation>;

  /**
   * Stores many items at once, each as `create` does, and answers for them in their order. It gives way to what others
   * write. Of items with one id that one call is given the first counts.
   *
   * @throws StoreUnavailable for all, if the same call may succeed later; some may have been stored all the same
   */
  createAll(items: readonly Item[]): Promise<readonly Outcome[]>;

  /** How many items wait to be stored, without those that are being written. */
  waiting(): number;
}

export interface ItemStore extends Creator {
  /**
   * Every item in the order of the ids, as they were at one moment, in portions. It ends if it is not read for 2 minutes.
   *
   * @throws StoreUnavailable
   */
  list(): AsyncIterable<readonly Item[]>;

  /** How many items there are; not of one moment while others write. @throws StoreUnavailable */
  count(): Promise<number>;

  /** Removes the item for good, durably. False: there was none. @throws StoreUnavailable, ConstraintViolated */
  remove(id: bigint): Promise<boolean>;
}

/**
 * Makes queries with Kysely (https://kysely.dev), of which one runs on every engine. What a statement has written is
 * durable when it resolves. What it reads of others is so, too, but for a PostgreSQL whose standby is lost meanwhile.
 *
 * @throws StoreUnavailable if the same query may succeed later; it may have been done all the same
 * @throws ConstraintViolated
 */
export type Database = Omit<Kysely<Tables>, 'transaction' | 'startTransaction' | 'connection' | 'destroy'>;

/**
 * Runs queries as one: all of them, durably, or none. Nothing that others do comes between them (serializable). Where it
 * would, the engine undoes them, and all of `work` runs again: it must do nothing but ask the database that it is given.
 * A query of another database, an item's creation or another transaction inside it is an error. It has 5 seconds; SQLite
 * writes nothing else meanwhile.
 *
 * @param repeatable whether to do the work twice is the same as once: it runs again, too, if the answer was lost
 * @throws as queries do, and what `work` throws, which undoes it; so does a query that fails
 */
export type Transaction = <T>(
  work: (database: Database) => Promise<T>,
  options?: { repeatable: boolean },
) => Promise<T>;

/** An access token as it is kept: never its text. Times are in milliseconds since 1970. */
export interface StoredToken {
  /** Unique among the tokens that are not revoked. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface NewToken {
  readonly name: string;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly hash: Uint8Array;
  /** Texts without spaces. */
  readonly scopes: readonly string[];
  readonly expiresAt?: number;
}

/** Every method throws StoreUnavailable as `Creator.create` does. */
export interface TokenStore {
  /** The token with this hash, unless it is revoked; it may have expired. */
  find(hash: Uint8Array): Promise<StoredToken | undefined>;
  /** Keeps a token, durably. False: its name is in use. It may be called again with the same token. */
  add(token: NewToken): Promise<boolean>;
  /** The same, only if the store never had one. Of several processes that try at once, one succeeds. */
  addFirst(token: NewToken): Promise<boolean>;
  /** All tokens, revoked ones too, in the order in which they were added. */
  list(): Promise<readonly StoredToken[]>;
  /** From now on `find` does not find it, in any process. False: there is none of that name. */
  revoke(name: string): Promise<boolean>;
  /** Removes a token durably, as if it had never been added. */
  delete(hash: Uint8Array): Promise<void>;
}

/** What the schema of a store was when it was opened, and is now. */
export interface Schema {
  readonly before: number;
  readonly now: number;
}

/** A statement in the dialect of an engine, with values of the kinds of tables.ts. */
export interface Statement {
  readonly sql: string;
  readonly values: readonly unknown[];
  /** False: it only reads. */
  readonly writes: boolean;
}

/** A row, as its engine has decoded it: by the kinds of tables.ts. */
export type Row = Readonly<Record<string, unknown>>;

export interface Result {
  readonly rows: readonly Row[];
  /** How many rows it has written. */
  readonly changes: bigint;
}

/** Runs one statement. @throws as `Database` */
export type Run = (statement: Statement) => Promise<Result>;

/** What is different from engine to engine. */
export interface Engine extends Creator {
  /** Resolves when the store can be used; until then every call throws StoreUnavailable. @throws StoreUnusable */
  readonly opened: Promise<Schema>;
  readonly run: Run;
  /** The same for statements that take a few milliseconds at most: they may hold up others. */
  readonly runShort: Run;
  /** As `Transaction` says. */
  transaction<T>(work: (run: Run) => Promise<T>, repeatable: boolean): Promise<T>;
  /** The rows of a statement that reads, as they are at one moment, so many at a time. */
  portions(statement: Statement, rows: number): AsyncGenerator<readonly Row[]>;
  /** Resolves if the store can write, durably, waiting for a lock as a create does. @throws StoreUnavailable */
  ready(): Promise<void>;
  /** Finishes what is under way. Nothing can be called after. */
  close(): Promise<void>;
}

export interface Store extends Pick<Engine, 'opened' | 'ready' | 'close'> {
  readonly items: ItemStore;
  readonly tokens: TokenStore;
  readonly database: Database;
  readonly transaction: Transaction;
}

export interface Opening {
  /** Whether a store is made where there is none, and brought up to date. */
  readonly create: boolean;
  /**
   * Called each time that the store finds the server unreachable: the store is returned at once then, and opens when
   * it can. Without it, an unreachable server makes `openStore` fail.
   */
  readonly onUnreachable?: (error: StoreUnavailable) => void;
  readonly observer?: StoreObserver | undefined;
}

/** Is told what a store does for requests, and counts it. */
export interface StoreObserver {
  /** A batch was written, or failed. @param ms how long the engine took */
  written(items: number, ms: number): void;
  /** The store answered for an item. */
  answered(creation: Creation): void;
  /** The store did not answer for an item, or did not look a token up. */
  failed(error: unknown): void;
}

/** The same answer, of whose failure an observer is told. */
export function observed<T>(answer: Promise<T>, observer: StoreObserver | undefined): Promise<T> {
  answer.catch((error: unknown) => observer?.failed(error));
  return answer;
}

/** The store cannot do its work at the moment: it is full, locked, gone. */
export class StoreUnavailable extends ExplainedError {
  override readonly name = 'StoreUnavailable';
}

/** The store cannot be opened as it is: its operator must act. The message names the fault, in one line. */
export class StoreUnusable extends ExplainedError {
  override readonly name = 'StoreUnusable';
}

/** What a constraint can be that a statement breaks. */
export type Constraint = 'unique' | 'foreign key' | 'not null' | 'check';

/** A statement would have broken a constraint of a table; nothing of it is done. The message is for the log. */
export class ConstraintViolated extends ExplainedError {
  override readonly name = 'ConstraintViolated';
  readonly constraint: Constraint;

  constructor(constraint: Constraint, message: string, options?: ErrorOptions) {
    super(message, options);
    this.constraint = constraint;
  }
}
