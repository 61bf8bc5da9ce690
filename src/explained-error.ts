/** An error whose message tells the operator everything in one line: the command line prints no stack. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
}

export class Interrupted extends ExplainedError {
  override readonly name = 'Interrupted';
  readonly signal: NodeJS.Signals;

  constructor(message: string, signal: NodeJS.Signals) {
    super(message);
    this.signal = signal;
  }
}

export function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error);
}
