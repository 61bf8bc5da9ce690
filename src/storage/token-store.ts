/** An access token as it is kept: never its text. Times are in milliseconds since 1970. */
export interface StoredToken {
  /** Unique among the tokens that are not revoked. */
  readonly name: string;
  readonly createdAt: number;
  readonly expiresAt?: number;
  readonly revokedAt?: number;
}

export interface NewToken {
  readonly name: string;
  /** SHA-256 of the token's text, 32 bytes. */
  readonly hash: Uint8Array;
  readonly expiresAt?: number;
}

/** Every method throws StoreUnavailable (plant-store.ts) as `PlantStore.create` does. */
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
