import type { ItemStore } from '../storage/store.ts';

/** What operations work with. */
export interface Services {
  readonly plants: ItemStore;
}
