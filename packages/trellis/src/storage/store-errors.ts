import { ExplainedError } from 'trellis-contract/ground';

/** The store cannot work at the moment: it is full, locked or gone, for example. */
export class StoreUnavailable extends ExplainedError {
  override readonly name = 'StoreUnavailable';
}

/** A thread of the store has ended. If it wrote, only a new process can use the store again. */
export class ThreadEnded extends StoreUnavailable {}

/** The store cannot be opened until the operator acts. The message names the fault in one line. */
export class StoreUnusable extends ExplainedError {
  override readonly name = 'StoreUnusable';
}

export type Constraint = 'unique' | 'foreign key' | 'not null' | 'check';

/** A statement had no effect, as it would break a constraint. The message is for the log. */
export class ConstraintViolated extends ExplainedError {
  override readonly name = 'ConstraintViolated';
  readonly constraint: Constraint;

  constructor(constraint: Constraint, message: string, options?: ErrorOptions) {
    super(message, options);
    this.constraint = constraint;
  }
}

/** A value cannot be stored, on either engine, that a client may have sent: it gets 400. */
export class ValueRefused extends ExplainedError {
  override readonly name = 'ValueRefused';
}
