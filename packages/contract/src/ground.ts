/**
 * What the rest stands on, without a package: errors, exact values, and what TypeScript and Node 24 lack. A thread, and the
 * face of a framework, import this alone.
 *
 * @module
 */
import './globals.ts';

/** What a client is told (`Refusal`), and what an author is told (`ContractError`). */
export { busy, ErrorNumber, overloaded, Refusal, type RequestFault, statusOf } from './refusal.ts';
export { ContractError } from './contract-error.ts';
/** Errors whose message tells the operator everything. */
export {
  asError,
  ExplainedError,
  messageOf,
  messageWithCauses,
  stackWithCauses,
  UNREADABLE,
} from './explained-error.ts';
/** How a request carries a token, and the challenge to a caller without one (RFC 6750). */
export { carried, challenge, fieldFor, withChallenges } from './schemes.ts';
/** The scopes of a token (RFC 6749). */
export { areScopes, NO_SCOPES } from './scopes.ts';
/** Changes by a patch of a client, as RFC 7396 says. */
export { mergePatch } from './merge-patch.ts';
/** int64: exact from JSON and to JSON. */
export { exactJson, int64, isInt64, sendable } from './schema/int64.ts';
