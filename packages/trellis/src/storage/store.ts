import type { AnyRow, Engine } from './engine.ts';
import type { Layout } from './layout.ts';
import type { Creation, Queries, Transaction } from './queries.ts';
import type { StoreUnavailable } from './store-errors.ts';

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
