import { constants } from 'node:os';
import { ExplainedError } from 'trellis-contract/ground';

/** Another start with the same settings would fail too. */
export class WrongSettings extends ExplainedError {
  override readonly name = 'WrongSettings';
  /** EX_CONFIG of sysexits.h, after which systemd does not restart the service (deploy/). */
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
