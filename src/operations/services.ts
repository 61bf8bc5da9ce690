import type { PlantStore } from '../storage/plant-store.ts';

/** What operations work with. */
export interface Services {
  readonly plants: PlantStore;
}
