/** The claims that tokens must have, and where their keys are. */
export interface IssuerSettings {
  /** The claim `iss` of a token must equal it. */
  readonly issuer: string;
  /** The claim `aud` of a token must contain it. */
  readonly audience: string;
  readonly scopes: readonly string[];
  /** The URL of the keys; without it, the issuer's discovery document names the URL. */
  readonly jwksUrl: string | undefined;
}

/** Whether TLS protects the answer of a URL, or the answer does not leave this machine. */
export function isUnalterable({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname));
}

/** Keys with their chains of certificates take some 20 KB. */
const MAX_BYTES = 256 * 1024;

/** Fetches the JSON Web Key Set (RFC 7517) of an issuer. */
export async function fetchKeys({ issuer, jwksUrl }: IssuerSettings, options: RequestInit): Promise<Response> {
  return fetchBounded(jwksUrl ?? (await discover(issuer, options)), options);
}

/** Finds the URL of the keys (OpenID Connect Discovery 1.0, section 4). */
async function discover(issuer: string, options: RequestInit): Promise<string> {
  const response = await fetchBounded(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`, options);
  const document = (await response.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown } | null;
  // Section 4.3: an issuer must not be able to speak for another one.
  if (document?.issuer !== issuer)
    throw new Error(`the discovery document of ${issuer} names the issuer ${JSON.stringify(document?.issuer)}`);
  const url = URL.parse(String(document.jwks_uri));
  if (url === null || !isUnalterable(url))
    throw new Error(`the discovery document of ${issuer} has no jwks_uri with https`);
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
