import type { PlantStore } from './plant-store.ts';
import { openSqlite } from './sqlite/engine.ts';
import type { TokenStore } from './token-store.ts';

/** A store, open. */
export interface Store {
  readonly plants: PlantStore;
  readonly tokens: TokenStore;
  /** What the schema of the store was when it was opened, and is now. */
  readonly schema: { readonly before: number; readonly now: number };
  /** Resolves if the store can answer. @throws StoreUnavailable */
  ready(): Promise<void>;
  /** Finishes what is under way. Nothing can be called after. */
  close(): Promise<void>;
}

/** Where a store is: so far a file, `sqlite:data/plants.db`. */
export interface StoreLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/**
 * Opens the store, and makes what is in it durable before anything is answered from it.
 *
 * @param create whether a store is made where there is none, and brought up to date
 * @throws StoreUnusable
 */
export function openStore({ path }: StoreLocation, { create }: { readonly create: boolean }): Promise<Store> {
  return openSqlite(path, create);
}
