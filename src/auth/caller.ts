/** Who calls, as far as a request has shown it. */
export interface Caller {
  /** One for each caller, and never that of another: what is counted for each is counted by it. */
  readonly key: string;
  /** The name of the access token, if it is one that this service gave out. */
  readonly name: string | undefined;
  /** The subject (`sub`) of the access token, if an identity provider gave it out. */
  readonly subject: string | undefined;
}
