import type { Outcome } from './batches.ts';

/** A plant with its id. `name` and `tag` are kept to the letter: no case folding, no normalisation. */
export interface StoredPlant {
  readonly id: bigint;
  readonly name: string;
  readonly tag?: string;
}

/**
 * What became of a plant: stored now; there already, the same; or its id belongs to a plant with another name or tag,
 * which stays as it is.
 */
export type Creation = 'created' | 'replayed' | 'conflict';

export interface PlantStore {
  /**
   * Stores a plant unless its id exists. Resolves only when the plant, also a replayed one, would survive the loss of
   * power. Of plants with one id that come at the same time exactly one is created. A plant that cannot be stored
   * fails alone, whatever was to be stored with it.
   *
   * @throws StoreUnavailable if the same call may succeed later; the plant may have been stored all the same
   */
  create(plant: StoredPlant): Promise<Creation>;

  /**
   * Stores many plants at once, each as `create` does, and answers for them in their order. It gives way to what others
   * write. Of plants with one id that one call is given the first counts.
   *
   * @throws StoreUnavailable for all, if the same call may succeed later; some may have been stored all the same
   */
  createAll(plants: readonly StoredPlant[]): Promise<readonly Outcome<Creation>[]>;

  /** Every plant in the order of the ids, as they were at one moment, in portions. */
  list(): AsyncIterable<readonly StoredPlant[]>;

  /** How many plants there are; not of one moment while others write. @throws StoreUnavailable */
  count(): Promise<number>;

  /** Removes the plant for good, durably. False: there was none. @throws StoreUnavailable */
  remove(id: bigint): Promise<boolean>;
}

/** The store cannot do its work at the moment: it is full, locked, gone. */
export class StoreUnavailable extends Error {
  override readonly name = 'StoreUnavailable';
}

/** The store cannot be opened as it is: whoever operates it must act. The message says what is wrong, in one line. */
export class StoreUnusable extends Error {
  override readonly name = 'StoreUnusable';
}
