/** The issuer whose tokens are taken, and the claims that they must have. */
export interface IssuerSettings {
  /** The claim `iss`, to the letter. */
  readonly issuer: string;
  /** What the claim `aud` must have. */
  readonly audience: string;
  /** Which scopes a token must have, all of them. */
  readonly scopes: readonly string[];
  /** Where the keys are; undefined: the issuer's discovery document says it. */
  readonly jwksUrl: string | undefined;
}

/** Whether the answer of a URL cannot be altered on its way: TLS protects it, or it does not leave the machine. */
export function isUnalterable({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

/** How large a document of an issuer may be, in bytes; keys with their chains of certificates take some 20 KB. */
const MAX_BYTES = 256 * 1024;

/** Fetches the keys that an issuer publishes (JSON Web Key Set, RFC 7517). */
export async function fetchKeys({ issuer, jwksUrl }: IssuerSettings, options: RequestInit): Promise<Response> {
  return fetchBounded(jwksUrl ?? (await discover(issuer, options)), options);
}

/** The URL of the keys, by OpenID Connect Discovery 1.0, section 4. */
async function discover(issuer: string, options: RequestInit): Promise<string> {
  const response = await fetchBounded(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, options);
  const document = (await response.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  // Section 4.3: another issuer must not be able to speak for this one.
  if (document?.issuer !== issuer) {
    throw new Error(`the discovery document of ${issuer} is one of the issuer ${JSON.stringify(document?.issuer)}`);
  }
  const url = URL.parse(String(document.jwks_uri));
  if (url === null || !isUnalterable(url)) {
    throw new Error(`the discovery document of ${issuer} has no jwks_uri that can be trusted`);
  }
  return url.href;
}

async function fetchBounded(url: string, options: RequestInit): Promise<Response> {
  const response = await fetch(url, options);
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`${url} answered ${response.status}`);
  }
  let size = 0;
  const bound = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      size += chunk.length;
      if (size > MAX_BYTES) throw new Error(`${url} answered more than ${MAX_BYTES} bytes`);
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body?.pipeThrough(bound));
}
