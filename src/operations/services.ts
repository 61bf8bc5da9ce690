import type { Database, ItemStore, Store, Transaction } from '../storage/store.ts';

/** What operations work with. */
export interface Services {
  readonly plants: ItemStore;
  readonly database: Database;
  readonly transaction: Transaction;
}

export function servicesOf({ items, database, transaction }: Store): Services {
  return { plants: items, database, transaction };
}
