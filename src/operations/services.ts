import type { Logger } from 'pino';
import type { Caller } from '../contract/caller.ts';
import type { Database, ItemStore, Store, Transaction } from '../storage/store.ts';

/** What the process has for its operations. */
export interface Services {
  readonly plants: ItemStore;
  readonly database: Database;
  readonly transaction: Transaction;
  /** What time it is; a test gives another clock. */
  readonly now: () => Date;
}

/** What an operation works with: the services, and what belongs to its request. */
export interface Tools extends Services {
  /** undefined: the operation takes no token to call. */
  readonly caller: Caller | undefined;
  /** Writes lines that have the id of the request. No line may hold a token or a body. */
  readonly log: Logger;
  /**
   * Aborted when the client goes away before it has its reply. One that has only ended its side of the connection looks
   * the same: it gets the reply of an operation that finishes all the same.
   */
  readonly signal: AbortSignal;
}

export function servicesOf({ items, database, transaction }: Store, now = () => new Date()): Services {
  return { plants: items, database, transaction, now };
}
