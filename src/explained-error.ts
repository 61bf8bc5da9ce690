import { constants } from 'node:os';

/** An error whose message tells the operator everything in one line: the command line prints no stack. */
export class ExplainedError extends Error {
  override readonly name: string = 'ExplainedError';
  /** The exit code of a command that ends with this error. */
  readonly exitCode: number = 1;
}

/** Another start with the same settings would fail too. */
export class WrongSettings extends ExplainedError {
  override readonly name = 'WrongSettings';
  /** EX_CONFIG of sysexits.h, after which plant-store.service does not restart the service. */
  override readonly exitCode = 78;
}

export class Interrupted extends ExplainedError {
  override readonly name = 'Interrupted';
  override readonly exitCode: number;

  constructor(message: string, signal: NodeJS.Signals) {
    super(message);
    this.exitCode = exitCodeOf(signal);
  }
}

/** The exit code of shells for a process that a signal has ended. */
export function exitCodeOf(signal: NodeJS.Signals): number {
  return 128 + constants.signals[signal];
}

export function messageOf(error: unknown): string {
  return Error.isError(error) ? error.message : String(error);
}
