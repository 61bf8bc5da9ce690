import type { PlantStore } from '../storage/store.ts';

/** What operations work with. */
export interface Services {
  readonly plants: PlantStore;
}
