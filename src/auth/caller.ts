/** Who calls, as far as a request has shown it. */
export interface Caller {
  /** Unique per caller. Rate limits and the ledger use it as their key. */
  readonly key: string;
  /** The name of the access token in the store, or `TOKEN_FILE`; undefined for a token of an identity provider. */
  readonly name: string | undefined;
  /** The subject (`sub`) of the access token, if an identity provider gave it out. */
  readonly subject: string | undefined;
}
