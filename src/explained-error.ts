/** An error whose message says all that an operator must know, in one line: the command line prints that line alone. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
}

/** A signal has ended the command. */
export class Interrupted extends ExplainedError {
  override readonly name = 'Interrupted';
  readonly signal: NodeJS.Signals;

  constructor(message: string, signal: NodeJS.Signals) {
    super(message);
    this.signal = signal;
  }
}

/** What a caught error says. */
export function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error);
}
