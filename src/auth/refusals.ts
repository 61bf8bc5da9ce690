import { ErrorNumber, Refusal } from '../contract/errors.ts';

/** @param reason what is wrong with it, for the log: who guesses tokens is told nothing */
export function invalidToken(reason?: string): Refusal {
  return new Refusal(
    ErrorNumber.tokenInvalid,
    'the access token is unknown, revoked or expired',
    { 'WWW-Authenticate': 'Bearer error="invalid_token"' },
    reason,
  );
}

/** The token is valid, but not for this (RFC 6750, section 3.1). */
export function insufficientScope(scopes: readonly string[], subject: string): Refusal {
  const scope = scopes.join(' ');
  return new Refusal(
    ErrorNumber.scopeMissing,
    `the access token must have the scope ${scope}`,
    { 'WWW-Authenticate': `Bearer error="insufficient_scope", scope="${scope}"` },
    `the subject ${subject} lacks scope`,
  );
}

/** One for all, as a flood of tokens must not cost more than its answers. The cause is in the log, once. */
export const uncheckable = new Refusal(
  ErrorNumber.tokenUncheckable,
  'the access token cannot be checked at the moment, try again',
  { 'Retry-After': '1' },
);
