import { DatabaseError } from 'pg';
import { type Constraint, ConstraintViolated, StoreUnavailable, StoreUnusable } from '../store.ts';
import { TABLES } from '../tables.ts';

/** The server has no prepared statement of that name. */
const STATEMENT_UNKNOWN = '26000';
/** It has one already: behind a pooler, another process prepared it. */
const STATEMENT_EXISTS = '42P05';
const READ_ONLY = '25006';
const CANCELLED = '57014';
/** The server has ended the connection, for a `transaction_timeout`, which no session of ours can set before 17. */
const TRANSACTION_TIMEOUT = '25P04';

/**
 * Classes of SQLSTATEs (PostgreSQL's documentation, appendix A), and single ones, after which the same may succeed:
 * connections, serialization and deadlocks, resources, locks, operators who intervene, the system around the server, a
 * server that takes no writes yet.
 */
const TRANSIENT = [
  ...['08', '40', '53', '55', '57', '58'],
  ...[READ_ONLY, STATEMENT_UNKNOWN, STATEMENT_EXISTS, TRANSACTION_TIMEOUT],
];

/**
 * Those after which another connection may do better: it, its server or its pooler is the reason. A new one after a
 * deadlock or on a server that is full would make things worse.
 */
const CONNECTION_LOST = [
  ...['08', '57', '58', 'XX'],
  ...[READ_ONLY, STATEMENT_UNKNOWN, STATEMENT_EXISTS, TRANSACTION_TIMEOUT],
];

const [TABLE_UNKNOWN, COLUMN_UNKNOWN] = ['42P01', '42703'];

/** Why a server or a database cannot be used as the settings have it: its operator must act. */
const UNUSABLE: readonly (readonly [string, string])[] = [
  ['28', 'refuses the user or the password'],
  ['3D000', 'has no such database: create it'],
  [TABLE_UNKNOWN, 'lacks a table of the store: put it back, or restore a backup'],
  [COLUMN_UNKNOWN, 'lacks a column of the store: put it back, or restore a backup'],
  ['42P07', 'has tables of another application: give the store a database of its own'],
  ['42501', 'does not let this user make and use the tables: grant it the database'],
];

const CONSTRAINTS = new Map<string, Constraint>([
  ['23502', 'not null'],
  ['23503', 'foreign key'],
  // restrict_violation
  ['23001', 'foreign key'],
  ['23505', 'unique'],
  ['23514', 'check'],
]);

/** A query did not come to the end that it was to come to; it may be tried again. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  /** Whether the server says that it has undone it, as it could not be done beside others. */
  readonly isUndone: boolean;

  constructor(message: string, options?: ErrorOptions, isUndone = false) {
    super(message, options);
    this.isUndone = isUndone;
  }
}

/** PostgreSQL rejects a statement, and would reject it again: for a constraint or a trigger of its operator, say. */
export class StatementRejectedError extends Error {
  override readonly name = 'StatementRejectedError';
  readonly constraint: Constraint | undefined;

  constructor(message: string, constraint?: Constraint) {
    super(message);
    this.constraint = constraint;
  }
}

/** The SQLSTATE of what pg throws; undefined: the server did not say what failed. */
function stateOf(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  // A prepared statement is of no use any more when its table was changed: as good as one that a pooler has dropped.
  return error.routine === 'RevalidateCachedQuery' ? STATEMENT_UNKNOWN : (error.code ?? '');
}

/**
 * A fault of this program, in a class that is about something else otherwise: a wrong number of values, a table or a
 * column that the store is not described to have.
 */
function isOwnFault(error: unknown): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { routine, code = '', message } = error;
  const named = new Set(message.split(/\W+/));
  if (code === TABLE_UNKNOWN) return !['schema_version', ...Object.keys(TABLES)].some((table) => named.has(table));
  if (code === COLUMN_UNKNOWN)
    return !Object.values<object>(TABLES).some((columns) => Object.keys(columns).some((column) => named.has(column)));
  return routine === 'exec_bind_message';
}

/** Whether the connection is given up after what pg throws. */
export function losesConnection(error: unknown): boolean {
  const state = stateOf(error);
  if (state === undefined) return true;
  return !isOwnFault(error) && state !== CANCELLED && CONNECTION_LOST.some((each) => state.startsWith(each));
}

/** Whether a commit that failed has surely changed nothing, as the server says. */
export function isUndone(error: unknown): boolean {
  return error instanceof StatementRejectedError || (error instanceof InterruptedError && error.isUndone);
}

/** What pg throws, as a StoreUnusable or one of the errors above. @param server how it is named */
export function translate(error: unknown, server: string): Error {
  if (error instanceof InterruptedError || error instanceof StoreUnusable) return error;
  if (!(error instanceof DatabaseError)) {
    // An address that was tried in several ways has no message.
    const reason = Error.isError(error) ? error.message || String('code' in error && error.code) : String(error);
    return new InterruptedError(reason, { cause: error });
  }
  const state = stateOf(error) ?? '';
  // The details quote rows, which do not belong in a log.
  const message = `SQLSTATE ${state}: ${error.message}`;
  const [, problem] = isOwnFault(error) ? [] : (UNUSABLE.find(([each]) => state.startsWith(each)) ?? []);
  if (problem !== undefined) return new StoreUnusable(`${server} ${problem}`, { cause: new Error(message) });
  const isTransient = !isOwnFault(error) && TRANSIENT.some((each) => state.startsWith(each));
  if (isTransient) return new InterruptedError(message, {}, state.startsWith('40'));
  return new StatementRejectedError(message, CONSTRAINTS.get(state));
}

/** An error met while a store is at work, as the interface has it. */
export function atWork(error: unknown): Error {
  if (error instanceof StatementRejectedError && error.constraint !== undefined) {
    return new ConstraintViolated(error.constraint, error.message, { cause: error });
  }
  // What makes the store unusable the operator sets right again: no item is at fault.
  if (!(error instanceof InterruptedError || error instanceof StoreUnusable)) return error as Error;
  return new StoreUnavailable(`PostgreSQL cannot do this at the moment: ${error.message}`, { cause: error });
}
