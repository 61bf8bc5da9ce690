import { ErrorNumber, Refusal } from '../contract/errors.ts';

/** Who calls, as far as a request has shown it. */
export interface Caller {
  /** One for each caller, and never that of another: what is counted for each is counted by it. */
  readonly key: string;
  /** The name of the access token, if it is one that this service gave out. */
  readonly name: string | undefined;
  /** The subject (`sub`) of the access token, if an identity provider gave it out. */
  readonly subject: string | undefined;
}

/** @param reason what is wrong with the token, for the log: a client that guesses tokens is told nothing */
export function invalidToken(reason?: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
  return new Refusal(ErrorNumber.tokenInvalid, 'the access token is unknown, revoked or expired', headers, reason);
}

/** The token is valid, but not for this (RFC 6750, section 3.1). */
export function insufficientScope(scopes: readonly string[], subject: string): Refusal {
  const scope = scopes.join(' ');
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  const message = `the access token must have the scope ${scope}`;
  return new Refusal(ErrorNumber.scopeMissing, message, headers, `the subject ${subject} lacks scope`);
}

/** One for all, as a flood of tokens must not cost more than its answers. The cause is in the log, once. */
export const uncheckable = new Refusal(
  ErrorNumber.tokenUncheckable,
  'the access token cannot be checked at the moment, try again',
  { 'Retry-After': '1' },
);
