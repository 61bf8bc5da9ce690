import { DatabaseError } from 'pg';
import { type Constraint, ConstraintViolated, StoreUnavailable, StoreUnusable } from '../store-errors.ts';
import type { Tables } from '../tables.ts';

const CONNECTION = '08';
export const PROTOCOL_VIOLATION = '08P01';
/** The store prepares each statement once on a connection, so a pooler has changed the connection. */
const STATEMENT_UNKNOWN = '26000';
const STATEMENT_EXISTS = '42P05';
const READ_ONLY = '25006';
export const CANCELLED = '57014';
const LOCK_NOT_AVAILABLE = '55P03';
/**
 * An internal error of the server, which a retry on a new connection gets over: after a crash, PostgreSQL 18 refuses some
 * updates once, as "new multixact has more than one updating member" (seen by the bank in packages/trellis/lab/faults).
 */
const INTERNAL = 'XX000';
/** A `transaction_timeout` of the server has ended the connection. OPTIONS cannot set it, as PostgreSQL 16 lacks it. */
const TRANSACTION_TIMEOUT = '25P04';

/**
 * SQLSTATEs and their classes (PostgreSQL's documentation, appendix A) after which a retry may succeed:
 * connection (08), conflict or deadlock (40), resources (53), lock (55), operator (57), system (58). Not corruption (XX001).
 */
const TRANSIENT = [CONNECTION, '40', '53', '55', '57', '58', READ_ONLY, TRANSACTION_TIMEOUT, INTERNAL];

/** Codes of errors that the connection, its server or its pooler caused: a retry needs a new connection. */
const CONNECTION_LOST = [
  ...[CONNECTION, '57', '58', 'XX'],
  ...[READ_ONLY, STATEMENT_UNKNOWN, STATEMENT_EXISTS, TRANSACTION_TIMEOUT],
];

const TABLE_UNKNOWN = '42P01';
const COLUMN_UNKNOWN = '42703';

/** The store uses what belongs to a session: settings, prepared statements, the number of the server process. */
export const POOLER =
  'a pooler in transaction mode is not supported: use a pooler in session mode that ignores startup options, or connect straight to the server';

const UNUSABLE: readonly (readonly [string, string])[] = [
  ['28', 'refuses the user or the password: correct DATABASE_URL'],
  ['3D000', 'has no such database: create it'],
  [TABLE_UNKNOWN, 'lacks a table of the store: make it again, or restore a backup'],
  [COLUMN_UNKNOWN, 'lacks a column of the store: make it again, or restore a backup'],
  [
    '42P07',
    'has a table that the store would make: set DATABASE_URL to a database of its own, or drop the table if an earlier store left it',
  ],
  ['42701', 'has a column that the next step makes: drop it, then start again'],
  [STATEMENT_UNKNOWN, `changes the connection between two statements: ${POOLER}`],
  [STATEMENT_EXISTS, `shares a connection among sessions: ${POOLER}`],
  ['42501', 'does not let this user create and use the tables: grant the user the rights'],
];

const CONSTRAINTS = new Map<string, Constraint>([
  ['23502', 'not null'],
  ['23503', 'foreign key'],
  // For `on delete restrict`.
  ['23001', 'foreign key'],
  ['23505', 'unique'],
  ['23514', 'check'],
]);

/** A query failed for a reason that may pass, so it may be retried. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
  /**
   * Why the server has rolled back: because of the work (it conflicts with other work, or takes too long), or for another
   * reason. Undefined if the server may have committed.
   */
  readonly undone: 'work' | 'other' | undefined;

  constructor(message: string, options?: ErrorOptions, undone?: InterruptedError['undone']) {
    super(message, options);
    this.undone = undone;
  }
}

/** A statement has waited for a lock for as long as it may. */
export class LockWaited extends InterruptedError {}

/** PostgreSQL rejects a statement for good, because of a constraint or the operator's trigger, for example. */
export class StatementRejectedError extends Error {
  override readonly name = 'StatementRejectedError';
  readonly constraint: Constraint | undefined;

  constructor(message: string, constraint?: Constraint) {
    super(message);
    this.constraint = constraint;
  }
}

/** The SQLSTATE; undefined if the error did not come from the server. */
export function stateOf(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  // A prepared statement whose table has changed must be prepared again, as on a new connection.
  return error.routine === 'RevalidateCachedQuery' ? CONNECTION : (error.code ?? '');
}

/** The statement that has failed, and the tables of the service: none while a connection is being opened. */
export interface Failed {
  readonly text: string;
  readonly tables: Tables;
}
const NONE: Failed = { text: '', tables: {} };

/** Whether this program's query is wrong: its number of values, or a table or column that the service does not have. */
function isOwnFault(error: unknown, { text, tables }: Failed): boolean {
  if (!(error instanceof DatabaseError)) return false;
  const { routine, code = '', position } = error;
  if (code !== TABLE_UNKNOWN && code !== COLUMN_UNKNOWN) return routine === 'exec_bind_message';
  // An error without a position is never that of a statement of the store itself.
  if (position === undefined) return true;
  // PostgreSQL counts characters from 1. At the position stands a name such as `"items"."tag"`.
  const [reference = ''] =
    /^(?:"[^"]*"|[\w$.])*/.exec(
      Array.from(text)
        .slice(Number(position) - 1)
        .join(''),
    ) ?? [];
  const name = reference.split('.').at(-1)?.replaceAll('"', '') ?? '';
  if (code === TABLE_UNKNOWN) return name !== 'schema_version' && !Object.hasOwn(tables, name);
  return !Object.values(tables).some(({ columns }) => Object.hasOwn(columns, name));
}

export function losesConnection(error: unknown, failed: Failed): boolean {
  // A value of the answer cannot be read.
  if (error instanceof StatementRejectedError) return false;
  const state = stateOf(error);
  if (state === undefined) return true;
  return !isOwnFault(error, failed) && state !== CANCELLED && CONNECTION_LOST.some((each) => state.startsWith(each));
}

export function translate(error: unknown, server: string, failed = NONE): Error {
  const isOwn = [InterruptedError, StatementRejectedError, StoreUnusable].some((each) => error instanceof each);
  if (isOwn) return error as Error;
  if (!(error instanceof DatabaseError)) {
    // Node's AggregateError for a host with several addresses has no message.
    const reason = Error.isError(error) ? error.message || String('code' in error && error.code) : String(error);
    return new InterruptedError(reason, { cause: error });
  }
  const state = stateOf(error) ?? '';
  // `detail` is left out, as it quotes rows: they do not belong in a log.
  const message = `SQLSTATE ${error.code ?? ''}: ${error.message}`;
  const isOfQuery = isOwnFault(error, failed);
  const [, problem] = isOfQuery ? [] : (UNUSABLE.find(([each]) => state.startsWith(each)) ?? []);
  if (problem !== undefined) return new StoreUnusable(`${server} ${problem}`, { cause: new Error(message) });
  const isTransient = !isOfQuery && TRANSIENT.some((each) => state.startsWith(each));
  // A server reports no error after a commit. A pooler, which names no routine, may report one for an answer that it lost.
  const undone = error.routine === undefined ? undefined : state.startsWith('40') ? 'work' : 'other';
  if (isTransient) return new (state === LOCK_NOT_AVAILABLE ? LockWaited : InterruptedError)(message, {}, undone);
  return new StatementRejectedError(message, CONSTRAINTS.get(state));
}

export function atWork(error: unknown): Error {
  if (error instanceof StatementRejectedError && error.constraint !== undefined) {
    return new ConstraintViolated(error.constraint, error.message, { cause: error });
  }
  // An open store that becomes unusable works again once the operator has acted.
  if (!(error instanceof InterruptedError || error instanceof StoreUnusable)) return error as Error;
  return new StoreUnavailable(`PostgreSQL cannot do this at the moment: ${error.message}`, { cause: error });
}
