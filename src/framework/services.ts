import type { Logger } from 'pino';
import type { Caller } from './contract/caller.ts';
import type { Database, ItemStore, Store, Transaction } from './storage/store.ts';

export interface Services {
  readonly plants: ItemStore;
  readonly database: Database;
  readonly transaction: Transaction;
  readonly now: () => Date;
}

/** The second argument of an operation. */
export interface Tools extends Services {
  /** undefined: the operation needs no token. */
  readonly caller: Caller | undefined;
  /** Adds the request id to each line. Never log a token or a body. */
  readonly log: Logger;
  /**
   * Aborted when the client closes its side of the connection before it has the reply. A client that only half-closed
   * still gets the reply, if the operation ignores the signal and finishes.
   */
  readonly signal: AbortSignal;
}

export function servicesOf({ items, database, transaction }: Store, now = () => new Date()): Services {
  return { plants: items, database, transaction, now };
}
