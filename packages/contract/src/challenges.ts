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
  if (ofBearer === undefined || carriers.every((each) => each === 'Authorization')) return fields;
  const all = carriers.map((each) => (each === 'Authorization' ? ofBearer : 'ApiKey realm="api"'));
  return { ...fields, 'WWW-Authenticate': [...new Set(all)].join(', ') };
}
