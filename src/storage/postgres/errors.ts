import { DatabaseError } from 'pg';
import { StoreUnavailable, StoreUnusable } from '../store.ts';

/** SQLSTATEs of PostgreSQL (its documentation, appendix A). */
export const SQLSTATE = {
  readOnly: '25006',
  statementUnknown: '26000',
  cancelled: '57014',
  tableUnknown: '42P01',
  privilege: '42501',
};

/**
 * Classes of SQLSTATEs, and single ones, after which the same may succeed: connections, serialization and deadlocks,
 * resources, locks, operators who intervene, the system around the server, a server that takes no writes yet, a
 * prepared statement that is gone.
 */
const PASSING = ['08', '40', '53', '55', '57', '58', SQLSTATE.readOnly, SQLSTATE.statementUnknown];

/** Why a server or a database cannot be used as the settings have it: its operator must act. */
const UNUSABLE: readonly (readonly [string, string])[] = [
  ['28', 'refuses the user or the password'],
  ['3D000', 'has no such database: create it'],
  ['42703', 'lacks a column of plants that src/storage/columns.ts has: add a migration'],
  ['42P07', 'has tables of another application: give the store a database of its own'],
  [SQLSTATE.privilege, 'does not let this user make and use the tables: grant it the database'],
];

/** A query did not come to the end that it was to come to; it may be tried again. */
export class InterruptedError extends Error {
  override readonly name = 'InterruptedError';
}

/** PostgreSQL does not do what it was asked to, and will not. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
}

export function sqlState(error: unknown): string | undefined {
  if (!(error instanceof DatabaseError)) return undefined;
  // A prepared statement is of no use any more when its table was changed: as good as one that a pooler has dropped.
  return error.routine === 'RevalidateCachedQuery' ? SQLSTATE.statementUnknown : error.code;
}

/** What went wrong with a connection, as a query may be tried again on another one; what PostgreSQL says as it is. */
export function toInterruptedError(error: unknown): Error {
  const isOurs = error instanceof InterruptedError || error instanceof StoreUnusable;
  if (isOurs || error instanceof DatabaseError) return error;
  // An address that was tried in several ways has no message.
  const reason = Error.isError(error) ? error.message || String('code' in error && error.code) : String(error);
  return new InterruptedError(reason, { cause: error });
}

/** Whether the same may succeed later, also what was lost with a connection. */
export function isPassing(error: unknown): boolean {
  const state = sqlState(error);
  if (state === undefined) return error instanceof InterruptedError;
  return PASSING.some((each) => state.startsWith(each));
}

/** An error met while a store is at work, as the interface has it. */
export function atWork(error: unknown): Error {
  // Who may use the database, and how, is for its operator to set right again; no plant is at fault.
  if (isPassing(error) || problemOf(error) !== undefined || error instanceof StoreUnusable) {
    return new StoreUnavailable('PostgreSQL cannot do this at the moment', { cause: withoutData(error) });
  }
  // Whatever else PostgreSQL refuses, a constraint or a trigger of its operator say, may be about one plant only.
  return sqlState(error) === undefined ? withoutData(error) : new RefusedError(withoutData(error).message);
}

/** An error met while a database was opened, as its operator should read it. @param server how it is named */
export function atOpening(error: unknown, server: string): Error {
  const problem = problemOf(error);
  if (error instanceof StoreUnusable) return error;
  if (problem !== undefined) return new StoreUnusable(`${server} ${problem}`, { cause: error });
  if (!isPassing(error)) return withoutData(error);
  const reason = Error.isError(error) ? error.message : String(error);
  return new StoreUnavailable(`${server} is not available: ${reason}`, { cause: withoutData(error) });
}

function problemOf(error: unknown): string | undefined {
  const state = sqlState(error) ?? '';
  return UNUSABLE.find(([each]) => state.startsWith(each))?.[1];
}

/** Details of PostgreSQL's errors quote rows, which do not belong in a log. */
function withoutData(error: unknown): Error {
  const state = sqlState(error);
  if (!Error.isError(error)) return new Error(String(error));
  return state === undefined ? error : new Error(`SQLSTATE ${state}: ${error.message}`);
}
