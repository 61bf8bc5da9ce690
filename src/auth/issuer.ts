/** Whose tokens are taken, and what they must say. */
export interface IssuerSettings {
  /** The claim `iss`, to the letter. */
  readonly issuer: string;
  /** What the claim `aud` must have. */
  readonly audience: string;
  /** Which scopes a token must have, all of them. */
  readonly scopes: readonly string[];
  /** Where the keys are; undefined: where the issuer's discovery document says. */
  readonly jwksUrl: string | undefined;
}

/** Whether what comes from there is what was sent there: by TLS, or because it does not leave the machine. */
export function isUnalterable({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

/** How large what an issuer sends may be, in bytes; keys with their chains of certificates take some 20 KB. */
const MOST_BYTES = 256 * 1024;

/**
 * The keys that an issuer publishes (JSON Web Key Set, RFC 7517), as they are.
 *
 * @throws Error that says why there are none
 */
export async function fetchKeys({ issuer, jwksUrl }: IssuerSettings, signal: AbortSignal): Promise<unknown[]> {
  const { keys } = await fetchObject(jwksUrl ?? (await discover(issuer, signal)), signal);
  if (!Array.isArray(keys)) throw new Error('the document with the keys of the issuer has no array of keys');
  return keys as unknown[];
}

/** OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, signal: AbortSignal): Promise<string> {
  const document = await fetchObject(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, signal);
  // Section 4.3: another issuer must not be able to speak for this one.
  if (document['issuer'] !== issuer) {
    throw new Error(`the discovery document of ${issuer} is one of the issuer ${JSON.stringify(document['issuer'])}`);
  }
  const url = typeof document['jwks_uri'] === 'string' ? URL.parse(document['jwks_uri']) : null;
  if (url === null || !isUnalterable(url)) {
    throw new Error(`the discovery document of ${issuer} has no jwks_uri that can be trusted`);
  }
  return url.href;
}

async function fetchObject(url: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>> {
  const response = await fetch(url, { redirect: 'manual', signal, headers: { Accept: 'application/json' } });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${String(response.status)}`);
  }
  const value = readJson(await readText(response, url));
  if (typeof value !== 'object' || value === null) throw new Error(`${url} answered no JSON object`);
  return value as Readonly<Record<string, unknown>>;
}

async function readText(response: Response, url: string): Promise<string> {
  // What the type of `fetch` does not say: a body is one of bytes.
  const body: AsyncIterable<Uint8Array> = response.body ?? ReadableStream.from([]);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > MOST_BYTES) throw new Error(`${url} answered more than ${String(MOST_BYTES)} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
