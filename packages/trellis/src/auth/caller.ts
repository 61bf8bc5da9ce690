import type { IncomingHttpHeaders } from 'node:http';
import { challenge, ErrorNumber, fieldFor, Refusal } from 'trellis-contract/ground';

/** The owner of the access token of a request. */
export interface Caller {
  /** Unique, such as `token my-app`. The rate limit and the ledger count by it. */
  readonly key: string;
  /** The name of the access token in the store, or `TOKEN_FILE`; undefined for a token of an identity provider. */
  readonly name: string | undefined;
  /** The claim `sub` of a token of an identity provider. */
  readonly subject: string | undefined;
  readonly scopes: ReadonlySet<string>;
}

export function tokenMissing(carriers: readonly string[]): Refusal {
  const fields = carriers.map((each) => fieldFor(each, '<ACCESS_TOKEN>'));
  return new Refusal(ErrorNumber.tokenMissing, `send an access token: ${fields.join(' or ')}`, challenge());
}

/** @returns a function that reads `Bearer <token>` from a request, and returns undefined if the request has no token */
export function credentialsIn(carriers: readonly string[]): (headers: IncomingHttpHeaders) => string | undefined {
  const names = carriers.map((each) => each.toLowerCase());
  if (names.every((each) => each === 'authorization')) return ({ authorization }) => authorization;
  return (headers) => {
    // A request with an API key may also have the credentials of a proxy in Authorization.
    if (names.includes('authorization') && /^bearer(?: |$)/i.test(headers.authorization ?? ''))
      return headers.authorization;
    // Node's object inherits members such as `constructor`, which may be the name of a key.
    const key = names.find((each) => each !== 'authorization' && Object.hasOwn(headers, each));
    return key && `Bearer ${String(headers[key])}`;
  };
}

/**
 * @returns a check that throws a Refusal unless the caller has all scopes of an alternative; undefined: none is needed
 */
export function scopeCheck(alternatives: readonly (readonly string[])[]): ((caller: Caller) => void) | undefined {
  const [first] = alternatives;
  if (first === undefined || alternatives.some((scopes) => scopes.length === 0)) return undefined;
  // A 403 can name only one alternative (RFC 6750, section 3.1).
  const scope = first.join(' ');
  const message = `the access token must have the scope ${scope}`;
  const headers = challenge('error="insufficient_scope"', `scope="${scope}"`);
  return ({ key, scopes: held }) => {
    if (alternatives.some((scopes) => scopes.every((each) => held.has(each)))) return;
    throw new Refusal(ErrorNumber.scopeMissing, message, headers, `the ${key} lacks scope`);
  };
}
