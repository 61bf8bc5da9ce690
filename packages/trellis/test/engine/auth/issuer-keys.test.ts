import { generateKeyPairSync } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PACE } from '../../../src/auth/issuer-keys.ts';
import { startApp } from '../../support/app.ts';
import { inTime, timeOf } from '../../support/in-time.ts';
import { freePort } from '../../support/port.ts';
import { AUDIENCE, makeKey, sign, type SigningKey, TestProvider } from '../../support/provider.ts';
import { createItem } from '../../support/service.ts';
import { until } from '../../support/until.ts';

const [first, second] = [await makeKey('first'), await makeKey('second')];
const OK = [200, undefined, null];
const REFUSED = [401, 40101, null];
const UNCHECKABLE = [503, 50301, '1'];

const providers: TestProvider[] = [];
afterAll(() => Promise.all(providers.map((provider) => provider[Symbol.asyncDispose]())));

/** Starts a provider, and stops it after the tests. */
async function startProvider(keys = [first], port = 0): Promise<TestProvider> {
  const provider = await TestProvider.start(keys, port);
  providers.push(provider);
  return provider;
}

const beside = await startApp();

/** Starts a service for the tokens of an issuer, with functions that sign tokens and send them. */
async function startFor(issuer: string, pace: Partial<typeof PACE> = {}, jwksUrl?: string) {
  const settings = { issuer, audience: AUDIENCE, scopes: [], jwksUrl };
  const app = await startApp({ issuer: settings, pace: { ...PACE, ...pace }, beside });
  let count = 0;
  const call = async (token: string) => {
    const response = await createItem({ url: app.url, token }, '{"id":1,"name":"x"}');
    const { error } = (await response.json()) as { error?: number };
    return [response.status, error, response.headers.get('retry-after')];
  };
  return {
    app,
    // Each token has a subject of its own, so that the service has no token in its cache.
    sign: (key: SigningKey, header: object = {}) =>
      sign(key, { iss: issuer, aud: AUDIENCE, sub: `s${count++}`, exp: Date.now() / 1000 + 300 }, header),
    call,
    /** Sends new tokens of the function `token` until the service gives this answer. */
    eventually: (token: () => string | Promise<string>, answer: unknown) =>
      until(async () => isDeepStrictEqual(await call(await token()), answer)),
  };
}

describe('a rotation of keys', () => {
  test('after a rotation of keys, the service accepts tokens of the new key at once, and refuses tokens of a key that is withdrawn', async () => {
    const provider = await startProvider();
    const { sign, call } = await startFor(provider.issuer);
    expect(await call(await provider.token())).toEqual(OK);
    await inTime(async () => {
      provider.rotate([await makeKey('new'), first]);
      const token = await provider.token();
      const duration = await timeOf(async () => {
        expect(await call(token)).toEqual(OK);
      });
      expect(duration).toBeLessThan(PACE.cooldown + 4000);
    });
    expect(await call(await sign(first))).toEqual(OK);
    provider.rotate([second]);
    // A token with an unknown key makes the service fetch the keys again.
    await call(await sign(await makeKey('made-up')));
    expect(await call(await sign(first))).toEqual(REFUSED);
    expect(await call(await sign(second))).toEqual(OK);
  });

  test('after a rotation of keys, the service refuses a cached token of a withdrawn key as soon as it has fetched the keys', async () => {
    const provider = await startProvider([first, second]);
    const { sign, call, eventually } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const [old, current] = [await sign(first), await sign(second)];
    for (const token of [old, current, old, current]) expect(await call(token)).toEqual(OK);
    provider.rotate([second]);
    await eventually(() => old, REFUSED);
    expect(await call(current)).toEqual(OK);
  });

  test('after a rotation of keys, the service refuses tokens of the old key when a new key has the same kid', async () => {
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

const successor = await makeKey('first');

const publicPart = ({ jwk: { d: _, ...key } }: SigningKey) => key;

describe('odd keys', () => {
  const reversed = Object.fromEntries(Object.entries(publicPart(first)).toReversed());
  test.each([
    ['one key twice', [publicPart(first), reversed], [first]],
    ['two keys under one kid', [publicPart(first), publicPart(successor)], [first, successor]],
    [
      'a key that cannot verify before the right one',
      [{ ...publicPart(first), x: 'AA' }, publicPart(successor)],
      [successor],
    ],
  ])(
    'the service accepts tokens, and warns once when it fetches the keys, if the issuer publishes %s',
    async (_name, keys, signers) => {
      const provider = await startProvider();
      provider.disturbance = send(200, {}, { keys });
      const { sign, call, app } = await startFor('https://id.example', { cooldown: 20 }, `${provider.issuer}/keys`);
      for (const signer of signers) expect(await call(await sign(signer))).toEqual(OK);
      expect(await call(await sign({ ...second, jwk: { ...second.jwk, kid: 'first' } }))).toEqual(REFUSED);
      const warned = app.log.filter(({ msg }) => String(msg).includes('several keys under one kid'));
      expect(warned).toMatchObject([{ level: 40, keys: ['first'] }]);
    },
  );
});

describe('an issuer that is away', () => {
  test('while the issuer is away, the service accepts tokens of known keys until these keys are too old', async () => {
    await inTime(async () => {
      const provider = await startProvider();
      const pace = { refresh: 300, maxAge: 5000, cooldown: 20 };
      const { sign, call, eventually, app } = await startFor(provider.issuer, pace);
      const known = await sign(first);
      expect(await call(known)).toEqual(OK);
      await provider[Symbol.asyncDispose]();
      await until(() => app.log.some(({ msg }) => msg === 'the keys of the token issuer cannot be fetched'));
      expect(await call(await sign(first))).toEqual(OK);
      expect(await call(await sign(second))).toEqual(UNCHECKABLE);
      await eventually(() => sign(first), UNCHECKABLE);
      expect(await call(known)).toEqual(OK);
      await startProvider([second], Number(new URL(provider.issuer).port));
      await eventually(() => sign(second), OK);
    });
  });

  test('while the issuer is away, the service accepts tokens of known keys also if the issuer answers with an empty set of keys', async () => {
    const provider = await startProvider();
    const { sign, call, app } = await startFor(provider.issuer, { refresh: 100, retry: 100, cooldown: 20 });
    expect(await call(await sign(first))).toEqual(OK);
    provider.disturbance = send(200, {}, { issuer: provider.issuer, jwks_uri: `${provider.issuer}/jwks`, keys: [] });
    await until(() => app.log.some(({ msg }) => msg === 'the keys of the token issuer cannot be fetched'));
    expect(await call(await sign(first))).toEqual(OK);
  });

  test('while the issuer is away, the service starts, and answers 503 to requests with tokens until the issuer is back', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { sign, call, eventually } = await startFor(issuer, { cooldown: 20 });
    expect(await call(await sign(first))).toEqual(UNCHECKABLE);
    await startProvider([first], Number(new URL(issuer).port));
    await eventually(() => sign(first), OK);
  });

  test('while the issuer is away, the service tries to fetch the keys even if no request arrives', async () => {
    const issuer = `http://127.0.0.1:${await freePort()}`;
    const { app } = await startFor(issuer, { cooldown: 20, retry: 100 });
    const messages = () => app.log.map(({ msg }) => msg);
    await until(() => messages().includes('the keys of the token issuer cannot be fetched'));
    await startProvider([first], Number(new URL(issuer).port));
    await until(() => messages().includes('the keys of the token issuer were fetched'));
  });
});

/** An issuer that gives the same reply to requests for the discovery document and for the keys. */
const send =
  (status: number, headers: Record<string, string>, body: unknown): RequestListener =>
  (_request, response) =>
    response.writeHead(status, headers).end(Buffer.isBuffer(body) ? body : JSON.stringify(body));
const { d, ...published } = first.jwk;
/** A valid reply for the discovery document and also for the keys. `more` may make it invalid. */
const document = (issuer: string, more: object = {}) => ({
  ...{ issuer, jwks_uri: `${issuer}/jwks`, keys: [published] },
  ...more,
});
const PADDING = { padding: ' '.repeat(300_000) };

test('the service fetches unknown keys at most once a second, and accepts valid tokens meanwhile', async () => {
  const provider = await startProvider();
  const { sign, call } = await startFor(provider.issuer, { timeout: 60_000 });
  expect(await call(await sign(first))).toEqual(OK);
  const before = provider.asked.length;
  const forge = (count: number) =>
    Promise.all(Array.from({ length: count }, (_, i) => sign(first, { kid: `made-up-${i}` })));
  // The issuer answers only after the service has refused all tokens except the 256 that may wait for keys.
  const full = Promise.withResolvers<undefined>();
  provider.disturbance = (...exchange) =>
    void full.promise.then(() => {
      send(200, {}, document(provider.issuer))(...exchange);
    });
  let answered = 0;
  const forged = await forge(300);
  const started = performance.now();
  const answers = forged.map(async (token) => {
    const answer = await call(token);
    answered++;
    if (answered === forged.length - 256) full.resolve(undefined);
    return answer;
  });
  // The service has the key of this token, so it does not need the issuer, which does not answer.
  expect(await call(await sign(first))).toEqual(OK);
  const refused = Object.groupBy(await Promise.all(answers), ([status]) => String(status));
  expect(refused).toEqual({ 401: Array(256).fill(REFUSED), 503: Array(forged.length - 256).fill(UNCHECKABLE) });
  const rounds = await timeOf(async () => {
    for (const _round of [1, 2]) await Promise.all((await forge(10)).map(call));
  });
  // The issuer is asked in each round. A timer may be early by a millisecond.
  expect(rounds).toBeGreaterThan(PACE.cooldown - 5);
  const seconds = (performance.now() - started) / 1000;
  // The service sends two requests a second: one for the discovery document, and one for the keys.
  expect(provider.asked.length - before).toBeLessThanOrEqual(2 * Math.ceil(seconds + 1));
});

describe('answers that are no keys', () => {
  test.each<[string, (issuer: string) => RequestListener]>([
    ['the status 500', (issuer) => send(500, {}, document(issuer))],
    ['text that is not JSON', () => send(200, {}, Buffer.from('<html>'))],
    ['JSON that is not an object', () => send(200, {}, 'keys')],
    ['an empty body', () => send(200, {}, Buffer.of())],
    [
      'a redirection',
      (issuer) => (request, response) => {
        const isThere = request.url === '/elsewhere';
        send(isThere ? 200 : 302, { Location: `${issuer}/elsewhere` }, document(issuer))(request, response);
      },
    ],
    ['a document that is too large', (issuer) => send(200, {}, document(issuer, PADDING))],
    [
      'a compressed document that is too large',
      (issuer) => send(200, { 'Content-Encoding': 'gzip' }, gzipSync(JSON.stringify(document(issuer, PADDING)))),
    ],
    ['nothing, on a connection that it cuts', () => (request) => request.socket.destroy()],
    ['nothing', () => () => undefined],
    ['half of a document', () => (_request, response) => response.writeHead(200).write('{')],
    ['the name of another issuer', (issuer) => send(200, {}, document(issuer, { issuer: `${issuer}/` }))],
    ['a number as jwks_uri', (issuer) => send(200, {}, document(issuer, { jwks_uri: 7 }))],
    [
      'a jwks_uri with http: on another host',
      (issuer) => send(200, {}, document(issuer, { jwks_uri: `${issuer.replace('127.0.0.1', '0.0.0.0')}/jwks` })),
    ],
    ['an empty array of keys', (issuer) => send(200, {}, document(issuer, { keys: [] }))],
    ['keys that are not an array', (issuer) => send(200, {}, document(issuer, { keys: published }))],
  ])(
    'the service answers 503 to tokens, and logs that once, while the issuer sends %s',
    async (_name, disturbanceOf) => {
      const provider = await startProvider();
      provider.disturbance = disturbanceOf(provider.issuer);
      const { sign, call, eventually, app } = await startFor(provider.issuer, { timeout: 300, cooldown: 20 });
      for (const _round of [1, 2, 3]) {
        expect(await call(await sign(first))).toEqual(UNCHECKABLE);
        await sleep(30);
      }
      const logged = app.log.filter(({ msg }) => msg === 'the keys of the token issuer cannot be fetched');
      expect(logged).toHaveLength(1);
      expect(await call(app.token)).toEqual(OK);
      provider.disturbance = undefined;
      await eventually(() => sign(first), OK);
    },
  );
});

test('the service ignores keys that are malformed, weak, symmetric, private or not for verification', async () => {
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

/** A key as a provider publishes it that gives its keys no kid. */
const unnamed = (key: SigningKey) => ({ ...publicPart(key), kid: undefined });

const longer = await makeKey('longer', 'ES384');

describe('tokens or keys without a kid', () => {
  /** Starts a service for a provider with these keys. */
  const startWith = async (...keys: readonly object[]) => {
    const provider = await startProvider();
    const publish = (...keys: readonly object[]) => {
      provider.disturbance = send(200, {}, { keys });
    };
    publish(...keys);
    const service = await startFor('https://id.example', { cooldown: 20 }, `${provider.issuer}/keys`);
    return { ...service, publish };
  };

  test('a token without a kid is verified by the only key for its algorithm', async () => {
    const { sign, call } = await startWith(publicPart(first), publicPart(longer));
    for (const key of [first, longer]) expect(await call(await sign(key, { kid: undefined }))).toEqual(OK);
    expect(await call(await sign(second, { kid: undefined }))).toEqual(REFUSED);
    expect(await call(await sign(first, { kid: 'other' }))).toEqual(REFUSED);
  });

  test('an only key without a kid verifies tokens with a kid and without one', async () => {
    const { sign, call } = await startWith(unnamed(first));
    for (const kid of [undefined, 'any']) {
      expect(await call(await sign(first, { kid }))).toEqual(OK);
      expect(await call(await sign(second, { kid }))).toEqual(REFUSED);
      expect(await call(await sign(longer, { kid }))).toEqual(REFUSED);
    }
  });

  test('a token without a kid is refused, and the log says why, if several keys are for its algorithm', async () => {
    const { sign, call, app } = await startWith(publicPart(first), publicPart(second));
    expect(await call(await sign(first, { kid: undefined }))).toEqual(REFUSED);
    const reason = 'kid is missing, and the issuer has several keys for the algorithm';
    expect(await until(() => app.log.find((line) => line['reason'] === reason))).toMatchObject({ status: 401 });
    expect(await call(await sign(first))).toEqual(OK);
  });

  test('a new key without a kid, of the same algorithm or another, replaces the old one at once', async () => {
    const { sign, call, publish } = await startWith(unnamed(first));
    expect(await call(await sign(first))).toEqual(OK);
    for (const [old, key] of [
      [first, second],
      [second, longer],
    ] as const) {
      publish(unnamed(key));
      expect(await call(await sign(key, { kid: undefined }))).toEqual(OK);
      expect(await call(await sign(old, { kid: undefined }))).toEqual(REFUSED);
    }
  });
});
