import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { Adapter } from 'oidc-provider';

// When it loads, oidc-provider prints a warning on a Node that is not an LTS release.
const { warn } = console;
console.warn = () => undefined;
const { Provider } = await import('oidc-provider');
console.warn = warn;

/** The things that the scopes are about: as a program, the provider takes their name from its arguments. */
const [THINGS = 'items'] = import.meta.main ? process.argv.slice(2) : [];
/** The default audience of the provider's tokens. */
export const AUDIENCE = `https://${THINGS}.example`;
export const SCOPES = [`${THINGS}:write`, `${THINGS}:read`];
const CLIENT = { id: 'gardener', secret: 'a-secret-for-trying-only' };
const LIFETIME_S = 3600;

/** A signing key: `jwk` for the provider, `privateKey` for tests that sign tokens themselves. */
export interface SigningKey {
  readonly jwk: JWK & { readonly kid: string; readonly alg: string };
  readonly privateKey: CryptoKey;
}

export async function makeKey(kid: string, alg = 'ES256'): Promise<SigningKey> {
  const { privateKey } = await generateKeyPair(alg, { extractable: true });
  return { jwk: { ...(await exportJWK(privateKey)), kid, alg, use: 'sig' }, privateKey };
}

/** Signs a token that a provider would not issue. */
export function sign({ jwk, privateKey }: SigningKey, claims: JWTPayload, header: object = {}): Promise<string> {
  return new SignJWT(claims).setProtectedHeader({ alg: jwk.alg, kid: jwk.kid, ...header }).sign(privateKey);
}

/** Stores nothing: the provider need not look up JSON Web Tokens. */
class Forgetful implements Adapter {
  private readonly done = () => Promise.resolve(undefined);
  readonly upsert = this.done;
  readonly find = this.done;
  readonly findByUserCode = this.done;
  readonly findByUid = this.done;
  readonly consume = this.done;
  readonly destroy = this.done;
  readonly revokeByGrantId = this.done;
}

/** A real OpenID provider, whose access tokens are JSON Web Tokens. */
export class TestProvider implements AsyncDisposable {
  /** The issuer of its tokens, and the URL of the provider. */
  readonly issuer: string;
  /** The path of each request so far. */
  readonly asked: string[] = [];
  /** Answers requests in place of the provider while it is set. */
  disturbance: RequestListener | undefined;
  private readonly server: ReturnType<typeof createServer>;
  private answer: RequestListener = () => undefined;

  private constructor(server: TestProvider['server']) {
    const { address, port } = server.address() as AddressInfo;
    this.server = server;
    this.issuer = `http://${address}:${port}`;
    server.on('request', (request, response) => {
      this.asked.push(request.url ?? '');
      (this.disturbance ?? this.answer)(request, response);
    });
  }

  static async start(keys: readonly SigningKey[], port = 0): Promise<TestProvider> {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    const provider = new TestProvider(server);
    provider.rotate(keys);
    return provider;
  }

  /** Replaces the keys: the provider publishes all of them, and signs with the first. */
  rotate(keys: readonly SigningKey[]): void {
    const alg = keys[0]?.jwk.alg ?? '';
    const provider = new Provider(this.issuer, {
      jwks: { keys: keys.map(({ jwk }) => jwk) },
      adapter: Forgetful,
      scopes: SCOPES,
      ttl: { ClientCredentials: LIFETIME_S },
      clients: [
        {
          client_id: CLIENT.id,
          client_secret: CLIENT.secret,
          grant_types: ['client_credentials'],
          redirect_uris: [],
          response_types: [],
          // The type lists the names of the algorithms that oidc-provider knows.
          id_token_signed_response_alg: alg as 'ES256',
        },
      ],
      features: {
        devInteractions: { enabled: false },
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => AUDIENCE,
          getResourceServerInfo: (_context, resource) => ({
            scope: SCOPES.join(' '),
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: LIFETIME_S,
            jwt: { sign: { alg: alg as 'ES256' } },
          }),
        },
      },
    });
    const handle = provider.callback();
    this.answer = (request, response) => void handle(request, response);
  }

  /** What a client sends to get a token. */
  get tokenRequest(): { readonly url: string; readonly credentials: string; readonly form: string } {
    const form = `grant_type=client_credentials&scope=${SCOPES.join(' ')}`;
    return { url: `${this.issuer}/token`, credentials: `${CLIENT.id}:${CLIENT.secret}`, form };
  }

  /** Gets a token as a client does. */
  async token(scopes: readonly string[] = SCOPES, audience = AUDIENCE): Promise<string> {
    const { url, credentials } = this.tokenRequest;
    const response = await fetch(url, {
      method: 'POST',
      headers: { Authorization: `Basic ${btoa(credentials)}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' '), resource: audience }),
    });
    const answer = (await response.json()) as { access_token?: string };
    if (answer.access_token === undefined) throw new Error(`the provider gave no token: ${JSON.stringify(answer)}`);
    return answer.access_token;
  }

  /** How often clients have fetched the keys. */
  get keysAsked(): number {
    return this.asked.filter((path) => path === '/jwks').length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (!this.server.listening) return;
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}

/** `npm run provider`: a provider to try the service with. */
async function main(port = '4000'): Promise<void> {
  const provider = await TestProvider.start([await makeKey('for-trying')], Number(port));
  const { url, credentials, form } = provider.tokenRequest;
  console.log(`An OpenID provider for trials only: anyone who reads this can get its tokens.

Start the service with:

  JWT_ISSUER=${provider.issuer} JWT_AUDIENCE=${AUDIENCE} JWT_SCOPE=${SCOPES[0] ?? ''} npm start

Get an access token, which is valid for an hour:

  curl --silent '${url}' --user '${credentials}' --data '${form}'

Alone, in a variable of the shell:

  ACCESS_TOKEN=$(curl --silent '${url}' --user '${credentials}' --data '${form}' | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')
`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await main(process.env['PORT']);
