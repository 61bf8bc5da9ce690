import { ExplainedError } from '../explained-error.ts';

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

/** What became of one of many plants, or why it cannot be told. */
export type Outcome = Creation | Error;

export interface PlantStore {
  /**
   * Stores a plant unless its id exists. Resolves only when the plant, also a replayed one, would survive the loss of
   * power. Of plants with one id that come at the same time exactly one is created. A plant that cannot be stored
   * fails alone, and no plant that is stored with it.
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
  createAll(plants: readonly StoredPlant[]): Promise<readonly Outcome[]>;

  /** Every plant in the order of the ids, as they were at one moment, in portions. */
  list(): AsyncIterable<readonly StoredPlant[]>;

  /** How many plants there are; not of one moment while others write. @throws StoreUnavailable */
  count(): Promise<number>;

  /** Removes the plant for good, durably. False: there was none. @throws StoreUnavailable */
  remove(id: bigint): Promise<boolean>;
}

/** An access token as it is kept: never its text. Times are in milliseconds since 1970. */
export interface StoredToken {
  /** Unique among the tokens that are not revoked. */
  readonly name: string;
  readonly scopes: readonly string[];
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface NewToken {
  readonly name: string;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly hash: Uint8Array;
  /** Texts without spaces. */
  readonly scopes: readonly string[];
  readonly expiresAt?: number;
}

/** Every method throws StoreUnavailable as `PlantStore.create` does. */
export interface TokenStore {
  /** The token with this hash, unless it is revoked; it may have expired. */
  find(hash: Uint8Array): Promise<StoredToken | undefined>;
  /** Keeps a token, durably. False: its name is in use. */
  add(token: NewToken): Promise<boolean>;
  /** Keeps a token only if the store never had one. Of several processes that try at once, one succeeds. */
  addFirst(token: NewToken): Promise<boolean>;
  /** All tokens, revoked ones too, in the order in which they were added. */
  list(): Promise<readonly StoredToken[]>;
  /** From now on `find` does not find it, in any process. False: there is none of that name. */
  revoke(name: string): Promise<boolean>;
  /** Removes a token durably, as if it had never been added. */
  delete(hash: Uint8Array): Promise<void>;
}

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

export interface Opening {
  /** Whether a store is made where there is none, and brought up to date. */
  readonly create: boolean;
  /**
   * Called each time that the store finds the server unreachable: the store is returned at once then, and opens when
   * it can. Without it, an unreachable server makes `openStore` fail.
   */
  readonly onUnreachable?: (error: StoreUnavailable) => void;
  readonly observer?: StoreObserver | undefined;
}

/** Is told what a store does for requests, and counts it. */
export interface StoreObserver {
  /** A batch was written, or failed. @param ms how long the engine took */
  written(plants: number, ms: number): void;
  /** The store answered for a plant. */
  answered(creation: Creation): void;
  /** The store did not answer for a plant, or did not look a token up. */
  failed(error: unknown): void;
}

/** The same answer, of whose failure an observer is told. */
export function observed<T>(answer: Promise<T>, observer: StoreObserver | undefined): Promise<T> {
  answer.catch((error: unknown) => observer?.failed(error));
  return answer;
}

/** The store cannot do its work at the moment: it is full, locked, gone. */
export class StoreUnavailable extends ExplainedError {
  override readonly name = 'StoreUnavailable';
}

/** The store cannot be opened as it is: its operator must act. The message names the fault, in one line. */
export class StoreUnusable extends ExplainedError {
  override readonly name = 'StoreUnusable';
}
