import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PACE } from '../../src/auth/issuer-keys.ts';
import { startApp } from '../support/app.ts';
import { freePort } from '../support/port.ts';
import { AUDIENCE, makeKey, sign, type SigningKey, TestProvider } from '../support/provider.ts';
import { createPlant } from '../support/service.ts';
import { until } from '../support/until.ts';

const [first, second] = [await makeKey('first'), await makeKey('second')];
const OK = [200, undefined, null];
const REFUSED = [401, 40101, null];
const UNCHECKABLE = [503, 50301, '1'];

const providers: TestProvider[] = [];
afterAll(() => Promise.all(providers.map((provider) => provider[Symbol.asyncDispose]())));

/** Starts a provider that ends with the tests. */
async function startProvider(keys = [first], port = 0): Promise<TestProvider> {
  const provider = await TestProvider.start(keys, port);
  providers.push(provider);
  return provider;
}

/** A service that takes the tokens of an issuer, and tells what it answers to them. */
async function startFor(issuer: string, pace: Partial<typeof PACE> = {}, jwksUrl?: string) {
  const settings = { issuer, audience: AUDIENCE, scopes: [], jwksUrl };
  const app = await startApp({ issuer: settings, pace: { ...PACE, ...pace } });
  let count = 0;
  const call = async (token: string) => {
    const response = await createPlant({ url: app.url, token }, '{"id":1,"name":"x"}');
    const { error } = (await response.json()) as { error?: number };
    return [response.status, error, response.headers.get('retry-after')];
  };
  return {
    app,
    // Each token is a new one: none is known.
    sign: (key: SigningKey, header: object = {}) =>
      sign(key, { iss: issuer, aud: AUDIENCE, sub: `s${count++}`, exp: Date.now() / 1000 + 300 }, header),
    call,
    /** Waits until the answer to a token, made anew each time unless it is given, is this one. */
    eventually: (token: () => string | Promise<string>, answer: unknown) =>
      until(async () => isDeepStrictEqual(await call(await token()), answer)),
  };
}

describe('when keys are rotated', () => {
  test('tokens of the new one are taken at once, and those of the old one no more', async () => {
    const provider = await startProvider();
    const { sign, call } = await startFor(provider.issuer);
    expect(await call(await provider.token())).toEqual(OK);
    provider.rotate([second, first]);
    const started = performance.now();
    expect(await call(await provider.token())).toEqual(OK);
    expect(performance.now() - started).toBeLessThan(PACE.cooldown + 4000);
    expect(await call(await sign(first))).toEqual(OK);
    provider.rotate([second]);
    // The service learns of it when a key is missing, or in the background.
    await call(await sign(await makeKey('made-up')));
    expect(await call(await sign(first))).toEqual(REFUSED);
    expect(await call(await sign(second))).toEqual(OK);
  });

  test('what was verified by a key that is withdrawn counts no more, as soon as that is known', async () => {
    const provider = await startProvider([first, second]);
    const { sign, call, eventually } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const [old, current] = [await sign(first), await sign(second)];
    for (const token of [old, current, old, current]) expect(await call(token)).toEqual(OK);
    provider.rotate([second]);
    await eventually(() => old, REFUSED);
    expect(await call(current)).toEqual(OK);
  });

  test('a key under the name of the one before is another one', async () => {
    const provider = await startProvider([first]);
    const { sign, call, eventually } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const old = await sign(first);
    expect(await call(old)).toEqual(OK);
    const successor = await makeKey('first');
    provider.rotate([successor]);
    await eventually(() => old, REFUSED);
    expect(await call(await sign(successor))).toEqual(OK);
  });
});

describe('an issuer that is away', () => {
  test('is no reason to refuse tokens of keys that are known, for as long as keys count', async () => {
    const provider = await startProvider();
    const { sign, call, eventually } = await startFor(provider.issuer, { refresh: 300, maxAge: 5000, cooldown: 20 });
    const known = await sign(first);
    expect(await call(known)).toEqual(OK);
    await provider[Symbol.asyncDispose]();
    await sleep(700);
    expect(await call(await sign(first))).toEqual(OK);
    expect(await call(await sign(second))).toEqual(UNCHECKABLE);
    await eventually(() => sign(first), UNCHECKABLE);
    expect(await call(known)).toEqual(OK);
    await startProvider([second], Number(new URL(provider.issuer).port));
    await eventually(() => sign(second), OK);
  });

  test('is waited for by nobody at the start', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { sign, call, eventually } = await startFor(issuer, { cooldown: 20 });
    expect(await call(await sign(first))).toEqual(UNCHECKABLE);
    await startProvider([first], Number(new URL(issuer).port));
    await eventually(() => sign(first), OK);
  });

  test('is asked again in the background, without a token that needs it', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { app } = await startFor(issuer, { cooldown: 20, retry: 100 });
    const messages = () => app.log.map(({ msg }) => msg);
    await until(() => messages().includes('the keys of the token issuer cannot be fetched'));
    await startProvider([first], Number(new URL(issuer).port));
    await until(() => messages().includes('the keys of the token issuer were fetched'));
  });
});

/** Answers to all requests alike, be they for the discovery document or for the keys. */
const send =
  (status: number, headers: Record<string, string>, body: unknown): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
const { d, ...published } = first.jwk;
/** A document of both kinds, by which tokens would be valid. */
const document = (issuer: string, more: object = {}) => ({
  ...{ issuer, jwks_uri: `${issuer}/jwks`, keys: [published] },
  ...more,
});
const PADDING = { padding: ' '.repeat(300_000) };

test('made-up keys do not flood the issuer, nor hold up the tokens of others', async () => {
  const provider = await startProvider();
  const { sign, call } = await startFor(provider.issuer, { timeout: 60_000 });
  expect(await call(await sign(first))).toEqual(OK);
  const before = provider.asked.length;
  const forge = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => sign(first, { kid: `made-up-${i}` })));
  // The issuer answers when all but the 256 that may wait for it were refused.
  const full = Promise.withResolvers<undefined>();
  provider.disturbance = (...exchange) =>
    void full.promise.then(() => {
      send(200, {}, document(provider.issuer))(...exchange);
    });
  let answered = 0;
  const forged = await forge(500);
  const started = performance.now();
  const answers = forged.map(async (token) => {
    const answer = await call(token);
    if (++answered === forged.length - 256) full.resolve(undefined);
    return answer;
  });
  // Its key is known, and the issuer silent.
  expect(await call(await sign(first))).toEqual(OK);
  const refused = Object.groupBy(await Promise.all(answers), ([status]) => String(status));
  expect(refused).toEqual({ 401: Array(256).fill(REFUSED), 503: Array(forged.length - 256).fill(UNCHECKABLE) });
  for (const _round of [1, 2]) await Promise.all((await forge(10)).map(call));
  const seconds = (performance.now() - started) / 1000;
  // Each time for its discovery document and its keys, at most once a second.
  expect(provider.asked.length - before).toBeLessThanOrEqual(2 * Math.ceil(seconds + 1));
});

describe('while the keys cannot be fetched, tokens get 503, which is logged once, and are taken afterwards:', () => {
  test.each<[string, (issuer: string) => RequestListener]>([
    ['500', (issuer) => send(500, {}, document(issuer))],
    ['no JSON', () => send(200, {}, Buffer.from('<html>'))],
    ['JSON, but no object', () => send(200, {}, 'keys')],
    ['nothing', () => send(200, {}, Buffer.of())],
    [
      'a redirection',
      (issuer) => (request, response) => {
        const isThere = request.url === '/elsewhere';
        send(isThere ? 200 : 302, { Location: `${issuer}/elsewhere` }, document(issuer))(request, response);
      },
    ],
    ['a flood', (issuer) => send(200, {}, document(issuer, PADDING))],
    [
      'a bomb',
      (issuer) => send(200, { 'Content-Encoding': 'gzip' }, gzipSync(JSON.stringify(document(issuer, PADDING)))),
    ],
    ['a connection that is cut', () => (request) => request.socket.destroy()],
    ['silence', () => () => undefined],
    ['silence in the middle', () => (_request, response) => response.writeHead(200).write('{')],
    ['another issuer', (issuer) => send(200, {}, document(issuer, { issuer: `${issuer}/` }))],
    ['no address of keys', (issuer) => send(200, {}, document(issuer, { jwks_uri: 7 }))],
    [
      'keys where anybody could change them',
      (issuer) => send(200, {}, document(issuer, { jwks_uri: `${issuer.replace('127.0.0.1', '0.0.0.0')}/jwks` })),
    ],
    ['no keys', (issuer) => send(200, {}, document(issuer, { keys: [] }))],
    ['no array of keys', (issuer) => send(200, {}, document(issuer, { keys: published }))],
  ])('%s', async (_name, disturbanceOf) => {
    const provider = await startProvider();
    provider.disturbance = disturbanceOf(provider.issuer);
    const { sign, call, eventually, app } = await startFor(provider.issuer, { timeout: 1000, cooldown: 50 });
    for (const _round of [1, 2, 3]) {
      expect(await call(await sign(first))).toEqual(UNCHECKABLE);
      await sleep(60);
    }
    const logged = app.log.filter(({ msg }) => msg === 'the keys of the token issuer cannot be fetched');
    expect(logged).toHaveLength(1);
    expect(await call(app.token)).toEqual(OK);
    provider.disturbance = undefined;
    await eventually(() => sign(first), OK);
  });
});

test('the service passes over keys that prove nothing, and keys that it cannot use', async () => {
  const provider = await startProvider();
  const url = `${provider.issuer}/some/keys`;
  const weak = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' });
  const others = [
    { ...published, kid: 7 },
    { kty: 'oct', kid: 'secret', k: 'c2VjcmV0' },
    { ...published, kid: 'broken', x: 'AA' },
    { ...weak, kid: 'weak' },
    { ...published, kid: 'enc', use: 'enc' },
    { ...published, kid: 'sign', key_ops: ['sign'] },
    { ...published, kid: 'private', d },
  ];
  provider.disturbance = send(200, {}, { keys: [{}, ...others, published] });
  const { sign, call } = await startFor('https://id.example', { cooldown: 20 }, url);
  expect(await call(await sign(first))).toEqual(OK);
  for (const { kid } of others) expect([kid, ...(await call(await sign(first, { kid })))]).toEqual([kid, ...REFUSED]);
  const header = Buffer.from('{"alg":"RS256","kid":"weak"}').toString('base64url');
  expect(await call((await sign(first)).replace(/^[^.]+/, header))).toEqual(REFUSED);
  expect(new Set(provider.asked)).toEqual(new Set(['/some/keys']));
});
