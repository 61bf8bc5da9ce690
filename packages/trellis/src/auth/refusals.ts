import { challenge, ErrorNumber, Refusal } from 'trellis-contract/ground';

/** @param reason for the log alone: a client that guesses tokens must not learn it */
export function invalidToken(reason?: string): Refusal {
  const headers = challenge('error="invalid_token"');
  return new Refusal(ErrorNumber.tokenInvalid, 'the access token is unknown, revoked or expired', headers, reason);
}

/** Shared by all requests, to keep a flood of tokens cheap. IssuerKeys logs the cause once. */
export const uncheckable = new Refusal(
  ErrorNumber.tokenUncheckable,
  'the access token cannot be checked at the moment: try again',
  { 'Retry-After': '1' },
);
