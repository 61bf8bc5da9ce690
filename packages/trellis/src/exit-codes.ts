import { constants } from 'node:os';
import { ExplainedError } from 'trellis-contract/ground';

/** Another start with the same settings would fail too. */
export class WrongSettings extends ExplainedError {
  override readonly name = 'WrongSettings';
  /** EX_CONFIG of sysexits.h, after which systemd does not restart the service (deploy/). */
  override readonly exitCode = 78;
}

/** Something failed in an unknown place, so that the state of the process is unknown. */
export class UnknownState extends ExplainedError {
  override readonly name = 'UnknownState';
  /** EX_SOFTWARE of sysexits.h, after which systemd and orchestrators start the service again. */
  override readonly exitCode = 70;

  constructor() {
    super('something failed in an unknown place: the log has its stack');
  }
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
