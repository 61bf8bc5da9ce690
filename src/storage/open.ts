import { observed, type StoreObserver } from './observed.ts';
import type { PlantStore, StoreUnavailable } from './plant-store.ts';
import { openPostgres } from './postgres/engine.ts';
import type { PostgresLocation } from './postgres/location.ts';
import { openSqlite, type SqliteLocation } from './sqlite/engine.ts';
import type { TokenStore } from './token-store.ts';

/** What the schema of a store was when it was opened, and is now. */
export interface Schema {
  readonly before: number;
  readonly now: number;
}

export interface Store {
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  /** Resolves when the store can be used; until then every call throws StoreUnavailable. @throws StoreUnusable */
  readonly opened: Promise<Schema>;
  /** How many plants wait to be stored, without those that are being written. */
  waiting(): number;
  /** Resolves if the store can write, durably, waiting for a lock as a create does. @throws StoreUnavailable */
  ready(): Promise<void>;
  /** Finishes what is under way. Nothing can be called after. */
  close(): Promise<void>;
}

export type StoreLocation = SqliteLocation | PostgresLocation;

export interface Opening {
  /** Whether a store is made where there is none, and brought up to date. */
  readonly create: boolean;
  /**
   * Called each time that a server turns out to be away: the store is returned at once then, and opens when it can.
   * Without it, a server that is away makes `openStore` fail.
   */
  readonly onAway?: (error: StoreUnavailable) => void;
  readonly observer?: StoreObserver | undefined;
}

/**
 * Opens the store, and makes what is in it durable before anything is answered from it.
 *
 * @throws StoreUnusable, StoreUnavailable
 */
export async function openStore(location: StoreLocation, opening: Opening): Promise<Store> {
  const store = await (location.engine === 'sqlite' ? openSqlite(location, opening) : openPostgres(location, opening));
  return opening.observer === undefined ? store : observed(store, opening.observer);
}
