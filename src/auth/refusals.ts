import { ErrorNumber, Refusal } from '../contract/errors.ts';

/** @param reason what is wrong with the token, for the log: a client that guesses tokens must not learn it */
export function invalidToken(reason?: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
  return new Refusal(ErrorNumber.tokenInvalid, 'the access token is unknown, revoked or expired', headers, reason);
}

/** The token is valid, but lacks a scope (RFC 6750, section 3.1). */
export function insufficientScope(scopes: readonly string[], subject: string): Refusal {
  const scope = scopes.join(' ');
  const headers = { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` };
  const message = `the access token must have the scope ${scope}`;
  return new Refusal(ErrorNumber.scopeMissing, message, headers, `the subject ${subject} lacks scope`);
}

/** One object for all requests: a flood of tokens must cost no more than its answers. The log has the cause, once. */
export const uncheckable = new Refusal(
  ErrorNumber.tokenUncheckable,
  'the access token cannot be checked at the moment, try again',
  { 'Retry-After': '1' },
);
