import { ErrorNumber, Refusal } from '../contract/errors.ts';

/** @param reason what is wrong with the token, for the log: a client that guesses tokens must not learn it */
export function invalidToken(reason?: string): Refusal {
  const headers = { 'WWW-Authenticate': 'Bearer error="invalid_token"' };
  return new Refusal(ErrorNumber.tokenInvalid, 'the access token is unknown, revoked or expired', headers, reason);
}

/** One object for all requests: a flood of tokens must cost no more than its answers. The log has the cause, once. */
export const uncheckable = new Refusal(
  ErrorNumber.tokenUncheckable,
  'the access token cannot be checked at the moment, try again',
  { 'Retry-After': '1' },
);
