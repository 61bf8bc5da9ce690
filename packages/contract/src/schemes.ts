// Security schemes: how a request carries a token, and how the service asks for one. A carrier is the name of a header field.

/** The carrier of bearer tokens (RFC 6750, section 2.1). */
const BEARER = 'Authorization';

/** The types of schemes that the service keeps, with their carriers; undefined: the field that the scheme itself names. */
export const SCHEMES = { http: BEARER, oauth2: BEARER, openIdConnect: BEARER, apiKey: undefined };

export interface SecurityScheme {
  readonly type: keyof typeof SCHEMES;
  /** The header field, for the type apiKey. */
  readonly name?: string;
}

export const carrierOf = ({ type, name = '' }: SecurityScheme): string => SCHEMES[type] ?? name;

/** The value of the header field of a token, and the whole field. */
export const carried = (carrier: string, token: string) => (carrier === BEARER ? `Bearer ${token}` : token);
export const fieldFor = (carrier: string, token: string) => `${carrier}: ${carried(carrier, token)}`;

/** A challenge `Bearer` needs a parameter (RFC 6750, section 3): the realm, which all operations share. */
export function challenge(...parameters: readonly string[]): Readonly<Record<string, string>> {
  return { 'WWW-Authenticate': `Bearer ${['realm="api"', ...parameters].join(', ')}` };
}

/** @returns the header fields of a reply, with a challenge for each carrier in place of the one for a bearer token */
export function withChallenges(
  fields: Readonly<Record<string, string>>,
  carriers: readonly string[],
): Readonly<Record<string, string>> {
  const { 'WWW-Authenticate': ofBearer } = fields;
  if (ofBearer === undefined || carriers.every((each) => each === BEARER)) return fields;
  const all = carriers.map((each) => (each === BEARER ? ofBearer : 'ApiKey realm="api"'));
  return { ...fields, 'WWW-Authenticate': [...new Set(all)].join(', ') };
}
