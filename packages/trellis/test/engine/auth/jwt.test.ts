import { createPublicKey } from 'node:crypto';
import { afterAll, describe, expect, test } from '@jest/globals';
import { base64url, type JWTPayload, SignJWT } from 'jose';
import { startApp } from '../../support/app.ts';
import { AUDIENCE, makeKey, sign, TestProvider } from '../../support/provider.ts';
import { createItem } from '../../support/service.ts';

const ALGORITHMS = 'ES256 ES384 ES512 RS256 RS384 RS512 PS256 PS384 PS512 EdDSA Ed25519'.split(' ');
const keys = new Map(await Promise.all(ALGORITHMS.map(async (alg) => [alg, await makeKey(alg, alg)] as const)));
const [key = await makeKey('none')] = keys.values();
const stranger = await makeKey('ES256');
const provider = await TestProvider.start([...keys.values()]);
const settings = { issuer: provider.issuer, audience: AUDIENCE, scopes: ['items:write'], jwksUrl: undefined };
const app = await startApp({ issuer: settings });
afterAll(() => provider[Symbol.asyncDispose]());

const now = () => Math.floor(Date.now() / 1000);
/** Claims that replace or add to those of a valid token. */
type Changes = Readonly<Record<string, unknown>>;
function claims(changes: Changes = {}): JWTPayload {
  return { iss: provider.issuer, aud: AUDIENCE, sub: 'alice', exp: now() + 300, scope: 'items:write', ...changes };
}
const signed = (changes: Changes = {}, header = {}) => sign(key, claims(changes), header);
const encode = (value: unknown) => base64url.encode(typeof value === 'string' ? value : JSON.stringify(value));
/** Makes a token from a header and claims, with the signature of another token. */
const spelt = async (header: unknown, text: string) =>
  [encode(header), encode(text), (await signed()).split('.')[2]].join('.');

async function call(token: string) {
  const response = await createItem({ url: app.url, token }, '{"id":1,"name":"x"}');
  const { error } = (await response.json()) as { error?: number };
  const line = await app.lineOf(response);
  return { status: response.status, error, challenge: response.headers.get('www-authenticate'), line };
}

test('the service accepts a token of the provider, and logs its subject, which is not the name of a token', async () => {
  const { status, line } = await call(await provider.token());
  expect([status, line['subject'], line['caller']]).toEqual([200, 'gardener', undefined]);
});

describe('valid tokens', () => {
  test.each(ALGORITHMS)('the service accepts a token signed with %s', async (alg) => {
    expect((await call(await sign(keys.get(alg) ?? stranger, claims()))).status).toBe(200);
  });

  test.each<[string, () => Changes, ...object[]]>([
    // Of the 60 seconds that are allowed, a busy machine needs some.
    ['that expired 20 seconds ago', () => ({ exp: now() - 20 })],
    ['that becomes valid in 59 seconds', () => ({ nbf: now() + 59 })],
    ['that expires at 1e300', () => ({ exp: 1e300 })],
    ['for this audience and another', () => ({ aud: ['https://other.example', AUDIENCE] })],
    ['with this scope and others', () => ({ scope: 'openid items:write email' })],
    ['with an array of scopes', () => ({ scope: undefined, scp: ['items:read', 'items:write'] })],
    ['with its scopes as `scp`', () => ({ scope: undefined, scp: 'items:read items:write' })],
    ['with a subject of 255 characters', () => ({ sub: 'ü'.repeat(255) })],
    ['of the type `at+jwt`', () => ({}), { typ: 'at+jwt' }],
    ['of the type `application/AT+JWT`', () => ({}), { typ: 'application/AT+JWT' }],
    ['of the type `JWT`', () => ({}), { typ: 'JWT' }],
    ['of the type `at+jwt` with the claims of an ID token', () => ({ nonce: 'n', at_hash: 'h' }), { typ: 'at+jwt' }],
    ['of more than 10,000 characters', () => ({ groups: 'x'.repeat(10_000) })],
  ])('the service accepts a token %s', async (_name, changes, ...[header]) => {
    expect((await call(await signed(changes(), header))).status).toBe(200);
  });
});

const SIGNATURE = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED';
const ALGORITHM = 'ERR_JOSE_ALG_NOT_ALLOWED';
const MALFORMED = 'ERR_JWS_INVALID';
const NO_KEY = 'ERR_JWKS_NO_MATCHING_KEY';
const CRIT = 'ERR_JOSE_NOT_SUPPORTED';

describe('invalid tokens', () => {
  type Case = [name: string, token: () => Promise<string>, reason: string];
  const publicKey = createPublicKey({ key: key.jwk, format: 'jwk' });
  const secrets = {
    PEM: Buffer.from(publicKey.export({ type: 'spki', format: 'pem' })),
    DER: publicKey.export({ type: 'spki', format: 'der' }),
    JWK: Buffer.from(JSON.stringify(publicKey.export({ format: 'jwk' }))),
  };
  test.each<Case>([
    ...['id+jwt', 'logout+jwt', 'secevent+jwt', 'application/okta-internal-at+jwt', 'at+jwt2', '', 7].map<Case>(
      (typ) => [`of the type ${JSON.stringify(typ)}`, () => signed({}, { typ }), 'typ is neither at+jwt nor JWT'],
    ),
    ...['nonce', 'at_hash', 'c_hash', 'events'].flatMap((claim) =>
      [undefined, 'JWT'].map<Case>((typ) => [
        `with the claim ${claim} and ${typ === undefined ? 'no type' : `the type ${typ}`}`,
        () => signed({ [claim]: {} }, { typ }),
        `the claim ${claim} shows that it is not an access token`,
      ]),
    ),
    ['that expired 61 seconds ago', () => signed({ exp: now() - 61 }), 'ERR_JWT_EXPIRED exp'],
    ['that becomes valid in 62 seconds', () => signed({ nbf: now() + 62 }), 'ERR_JWT_CLAIM_VALIDATION_FAILED nbf'],
    ['without an expiry', () => signed({ exp: undefined }), 'ERR_JWT_CLAIM_VALIDATION_FAILED exp'],
    ['whose expiry is a string', () => signed({ exp: String(now() + 9) }), 'ERR_JWT_CLAIM_VALIDATION_FAILED exp'],
    ['whose expiry is null', () => signed({ exp: null }), 'ERR_JWT_CLAIM_VALIDATION_FAILED exp'],
    ['for another audience', () => signed({ aud: 'https://other.example' }), 'ERR_JWT_CLAIM_VALIDATION_FAILED aud'],
    [
      'for the audience with one more slash',
      () => signed({ aud: [`${AUDIENCE}/`] }),
      'ERR_JWT_CLAIM_VALIDATION_FAILED aud',
    ],
    ['without an audience', () => signed({ aud: undefined }), 'ERR_JWT_CLAIM_VALIDATION_FAILED aud'],
    ['of another issuer', () => signed({ iss: 'https://other.example' }), 'ERR_JWT_CLAIM_VALIDATION_FAILED iss'],
    [
      'of the issuer with one more slash',
      () => signed({ iss: `${provider.issuer}/` }),
      'ERR_JWT_CLAIM_VALIDATION_FAILED iss',
    ],
    ['without a subject', () => signed({ sub: undefined }), 'ERR_JWT_CLAIM_VALIDATION_FAILED sub'],
    ['with an empty subject', () => signed({ sub: '' }), 'sub must be 1 to 255 printable characters'],
    ['with a number as its subject', () => signed({ sub: 7 }), 'sub must be 1 to 255 printable characters'],
    [
      'with a line break in its subject',
      () => signed({ sub: 'alice\n{"level":"fatal"}' }),
      'sub must be 1 to 255 printable characters',
    ],
    [
      'with a subject of 256 characters',
      () => signed({ sub: 'x'.repeat(256) }),
      'sub must be 1 to 255 printable characters',
    ],
    ...['none', 'nOnE', 'HS256', 'ES256K', '__proto__'].map<Case>((alg) => [
      `with the algorithm ${JSON.stringify(alg)}`,
      () => spelt({ alg, kid: key.jwk.kid }, JSON.stringify(claims())),
      ALGORITHM,
    ]),
    ['with the algorithm ""', () => spelt({ alg: '', kid: key.jwk.kid }, JSON.stringify(claims())), MALFORMED],
    ['without a signature', () => Promise.resolve(`${encode({ alg: 'none' })}.${encode(claims())}.`), ALGORITHM],
    ...Object.entries(secrets).map<Case>(([form, secret]) => [
      `signed with the public key as a secret, in the form ${form}`,
      () => new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: key.jwk.kid }).sign(secret),
      ALGORITHM,
    ]),
    [
      'whose claims were changed',
      () => spelt({ alg: 'ES256', kid: 'ES256' }, JSON.stringify(claims({ sub: 'bob' }))),
      SIGNATURE,
    ],
    ['whose signature was cut', async () => (await signed()).slice(0, -4), SIGNATURE],
    ['whose signature was removed', async () => (await signed()).replace(/[^.]*$/, ''), SIGNATURE],
    ['signed with a foreign key under a known kid', () => sign(stranger, claims()), SIGNATURE],
    [
      'signed with a foreign key that its header brings',
      () => sign(stranger, claims(), { jwk: stranger.jwk }),
      SIGNATURE,
    ],
    ['with the kid of a key for another algorithm', () => signed({}, { kid: 'RS256' }), NO_KEY],
    ['with a number as its kid', () => signed({}, { kid: 7 }), 'kid is no string'],
    ['without a kid, signed with a foreign key', () => sign(stranger, claims(), { kid: undefined }), SIGNATURE],
    ['with an unknown kid', () => signed({}, { kid: 'unknown' }), NO_KEY],
    ['with a kid of 8 KB', () => signed({}, { kid: 'k'.repeat(8000) }), NO_KEY],
    ['with an unknown extension in crit', () => spelt({ alg: 'ES256', kid: 'ES256', crit: ['x'], x: 1 }, '{}'), CRIT],
    ['whose header is not JSON', () => spelt('{', '{}'), MALFORMED],
    ['of the text a.b.c', () => Promise.resolve('a.b.c'), MALFORMED],
  ])('the service answers 401, and tells the reason only in the log, to a token %s', async (_name, token, reason) => {
    const { line, ...answer } = await call(await token());
    expect(answer).toEqual({ status: 401, error: 40101, challenge: 'Bearer realm="api", error="invalid_token"' });
    expect(line['reason']).toBe(reason);
  });
});

test.each([undefined, '', 'items:read', 'items:writes xitems:write', 'ITEMS:WRITE', 7])(
  'the service answers 403, with the missing scope, to a token with the scope %j',
  async (scope) => {
    const { line, ...answer } = await call(await signed({ scope }));
    const challenge = 'Bearer realm="api", error="insufficient_scope", scope="items:write"';
    expect(answer).toEqual({ status: 403, error: 40300, challenge });
    expect(line['reason']).toBe('the subject alice lacks scope');
  },
);
