/** One row of the matrix: what each of many clients does. */
export interface Attack {
  readonly name: string;
  /** What the service is doing for the request when the client turns hostile. */
  readonly phase: 'head' | 'body' | 'working' | 'replying' | 'idle';
  readonly way:
    | 'many small parts'
    | 'one byte at a time'
    | 'held back'
    | 'never reading'
    | 'many fields'
    | 'pipelined'
    | 'waiting'
    | 'reconnecting'
    | 'half-closed';
  readonly caller: 'none' | 'one token' | 'many tokens';
  /** Whether it costs the service mostly memory, or mostly processor time. */
  readonly kind: 'holds' | 'burns';
  readonly connections: { readonly short: number; readonly long: number };
  /** What each connection sends; the attacker fills in `$TOKEN`, `$GUESS` (an unknown token) and `$ID` (a new id). */
  readonly sends: readonly (string | Repeated)[];
  /** Whether the client leaves the answers in the socket. */
  readonly neverReads?: true;
  /** What the client does when all is sent; `again`: sends the same when the answer has come. Default: it stays. */
  readonly then?: 'again' | 'leave' | 'reset' | 'half-close';
  /** What a client that stays sends each second. */
  readonly eachSecond?: string;
  /** Whether the tests have it, in short: those that once broke the service. */
  readonly inTests?: true;
  /** How long the long round takes, if longer than others. */
  readonly seconds?: number;
  /** What a line of the log must say of the clients that were cut off. */
  readonly log?: { readonly short?: RegExp; readonly long: RegExp };
}

export interface Repeated {
  readonly times: number;
  readonly text: string;
}

/** What the attacker is started with, and prints when it is told to end (SIGTERM). */
export interface Orders {
  readonly attack: Attack;
  readonly url: string;
  readonly tokens: readonly string[];
  readonly connections: number;
}
export interface Tally {
  /** How many answers had which status. */
  readonly answers: Record<string, number>;
  /** The plants that were answered with 200, and those that were answered with anything else. */
  readonly created: number[];
  readonly refused: number[];
}
