/** One attack, which is one row of matrix.ts. Many hostile clients do the same thing at once. */
export interface Attack {
  readonly name: string;
  /** What the service does with the request when the client turns hostile. */
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
  /** `holds` costs the service mostly memory, `burns` mostly processor time. */
  readonly kind: 'holds' | 'burns';
  readonly connections: { readonly short: number; readonly long: number };
  /** What each connection sends; the attacker fills in `$TOKEN`, `$GUESS` (an unknown token) and `$ID` (a new id). */
  readonly sends: readonly (string | Repeated)[];
  readonly neverReads?: true;
  /** What the client does after it has sent all; `again` repeats it after the answer. By default it stays connected. */
  readonly then?: 'again' | 'leave' | 'reset' | 'half-close';
  /** What a client that stays connected sends each second. */
  readonly eachSecond?: string;
  /** Whether the tests run a short round of it, as of each attack that once broke the service. */
  readonly inTests?: true;
  /** How long the long round takes, if longer than the usual 20 s. */
  readonly seconds?: number;
  /** What a line of the log must say about the refused clients. */
  readonly log?: { readonly short?: RegExp; readonly long: RegExp };
}

export interface Repeated {
  readonly times: number;
  readonly text: string;
}

/** The argument of the attacker, which prints a `Tally` on SIGTERM. */
export interface Orders {
  readonly attack: Attack;
  readonly url: string;
  readonly tokens: readonly string[];
  readonly connections: number;
}
export interface Tally {
  /** The number of answers with each status. */
  readonly answers: Record<string, number>;
  /** The ids of items that were answered with 200, and of those that were answered with another status. */
  readonly created: number[];
  readonly refused: number[];
}
