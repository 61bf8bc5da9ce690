import type { RequestListener } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { PACE } from '../../src/auth/issuer-keys.ts';
import { CLOCK_SKEW_S } from '../../src/auth/jwt.ts';
import { startApp } from '../support/app.ts';
import { freePort } from '../support/port.ts';
import { README } from '../support/readme.ts';
import type { SigningKey } from '../support/provider.ts';
import { AUDIENCE, makeKey, sign, TestProvider } from '../support/provider.ts';
import { createPlant } from '../support/service.ts';

const [first, second] = await Promise.all([makeKey('first'), makeKey('second')]);
const providers: TestProvider[] = [];
afterAll(() => Promise.all(providers.map((provider) => provider[Symbol.asyncDispose]())));

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
  return {
    app,
    // Each token is a new one, unless it is given: none is known.
    sign: (key: SigningKey) =>
      sign(key, { iss: issuer, aud: AUDIENCE, sub: `s${String(count++)}`, exp: Date.now() / 1000 + 300 }),
    call: async (token: string) => {
      const response = await createPlant({ url: app.url, token }, '{"id":1,"name":"x"}');
      const { error } = (await response.json()) as { error?: number };
      return [response.status, error, response.headers.get('retry-after')];
    },
    logged: () => app.log.filter(({ msg }) => msg === 'the keys of the token issuer cannot be fetched'),
  };
}
const [OK, REFUSED, UNCHECKABLE] = [
  [200, undefined, null],
  [401, 40101, null],
  [503, 50301, '1'],
];
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('README says when keys are fetched, and for how long they count', () => {
  const [, section = ''] = /^### Tokens from an identity provider.*?\n(.*?)^##/ms.exec(README) ?? [];
  const text = section.replaceAll(/\s+/g, ' ');
  expect(PACE).toEqual({ cooldown: 1000, timeout: 5000, refresh: 10 * MINUTE, maxAge: 60 * MINUTE });
  expect(text).toContain('every 10 minutes');
  expect(text).toContain('once a second at most');
  expect(text).toContain('does not answer (within 5 s), the keys that are known count for an hour');
  expect(text).toContain(`off by more than ${String(CLOCK_SKEW_S)} s`);
});
const MINUTE = 60_000;

describe('when keys are rotated', () => {
  test('tokens of the new one are taken at once, and those of the old one no more', async () => {
    const provider = await startProvider();
    const { sign, call } = await startFor(provider.issuer);
    expect(await call(await provider.token())).toEqual(OK);
    provider.rotate([second, first]);
    const started = performance.now();
    expect(await call(await provider.token())).toEqual(OK);
    expect(performance.now() - started).toBeLessThan(PACE.cooldown + 500);
    expect(await call(await sign(first))).toEqual(OK);
    provider.rotate([second]);
    // The service learns of it when a key is missing, or in the background.
    await call(await sign(await makeKey('made-up')));
    expect(await call(await sign(first))).toEqual(REFUSED);
    expect(await call(await sign(second))).toEqual(OK);
  });

  test('what was verified by a key that is withdrawn counts no more, as soon as that is known', async () => {
    const provider = await startProvider([first, second]);
    const { sign, call } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const [old, current] = [await sign(first), await sign(second)];
    for (const token of [old, current, old, current]) expect(await call(token)).toEqual(OK);
    provider.rotate([second]);
    await sleep(1000);
    expect(await call(old)).toEqual(REFUSED);
    expect(await call(current)).toEqual(OK);
  });

  test('a key under the name of the one before is another one', async () => {
    const provider = await startProvider([first]);
    const { sign, call } = await startFor(provider.issuer, { refresh: 200, cooldown: 10 });
    const old = await sign(first);
    expect(await call(old)).toEqual(OK);
    const successor = await makeKey('first');
    provider.rotate([successor]);
    await sleep(1000);
    expect(await call(old)).toEqual(REFUSED);
    expect(await call(await sign(successor))).toEqual(OK);
  });
});

test('made-up keys do not flood the issuer, nor hold up the tokens of others', async () => {
  const provider = await startProvider();
  const { sign, call } = await startFor(provider.issuer);
  expect(await call(await sign(first))).toEqual(OK);
  const before = provider.asked.length;
  const forged = await Promise.all(Array.from({ length: 500 }, async (_, i) => sign({ ...first, jwk: named(i) })));
  const started = performance.now();
  const answers = Promise.all(forged.map(call));
  await sleep(50);
  expect(await call(await sign(first))).toEqual(OK);
  const statuses = Map.groupBy(await answers, ([status]) => status);
  const seconds = (performance.now() - started) / 1000;
  // Each discovery and keys, at most once a second.
  expect(provider.asked.length - before).toBeLessThanOrEqual(2 * Math.ceil(seconds + 1));
  // Those that would wait beyond what may wait are told so; none is let in.
  expect([...statuses.keys()].toSorted()).toEqual([401, 503]);
  expect(statuses.get(401)?.length).toBeGreaterThanOrEqual(256);
});
const named = (index: number) => ({ ...first.jwk, kid: `made-up-${String(index)}` });

describe('while the keys cannot be fetched, tokens get 503, which is logged once, and are taken afterwards:', () => {
  const send =
    (status: number, headers: Record<string, string> = {}, body: string | Buffer = ''): RequestListener =>
    (_request, response) =>
      response.writeHead(status, headers).end(body);
  const document = (issuer: string, jwksUri: unknown) =>
    send(200, {}, JSON.stringify({ issuer, jwks_uri: jwksUri, keys: [] }));
  test.each<[string, (issuer: string) => RequestListener]>([
    ['500', () => send(500)],
    ['no JSON', () => send(200, {}, '<html>')],
    ['JSON, but no object', () => send(200, {}, '"keys"')],
    ['nothing', () => send(200)],
    ['a redirection', () => send(302, { Location: 'http://127.0.0.1/' })],
    ['a flood', () => send(200, {}, '{"keys":[],"x":"'.padEnd(300_000, 'x'))],
    ['a bomb', () => send(200, { 'Content-Encoding': 'gzip' }, gzipSync(Buffer.alloc(50_000_000, ' ')))],
    ['a connection that is cut', () => (request) => request.socket.destroy()],
    ['silence', () => () => undefined],
    ['silence in the middle', () => (_request, response) => response.writeHead(200).write('{')],
    ['another issuer', (issuer) => document(`${issuer}/`, `${issuer}/jwks`)],
    ['no address of keys', (issuer) => document(issuer, 7)],
    ['keys where anybody could change them', (issuer) => document(issuer, 'http://keys.example/jwks')],
    ['keys in a file', (issuer) => document(issuer, 'file:///etc/passwd')],
    ['no keys', (issuer) => send(200, {}, JSON.stringify({ issuer, jwks_uri: `${issuer}/jwks`, keys: {} }))],
  ])('%s', async (_name, disturbanceOf) => {
    const provider = await startProvider();
    provider.disturbance = disturbanceOf(provider.issuer);
    const { sign, call, logged, app } = await startFor(provider.issuer, { timeout: 300, cooldown: 50 });
    for (const _round of [1, 2, 3]) {
      expect(await call(await sign(first))).toEqual(UNCHECKABLE);
      await sleep(60);
    }
    expect(logged()).toHaveLength(1);
    expect(await call(app.token)).toEqual(OK);
    provider.disturbance = undefined;
    await sleep(60);
    expect(await call(await sign(first))).toEqual(OK);
  });
});

describe('an issuer that is away', () => {
  test('is no reason to refuse tokens of keys that are known, for as long as keys count', async () => {
    const provider = await startProvider();
    const { sign, call } = await startFor(provider.issuer, { refresh: 300, maxAge: 2000, cooldown: 20 });
    const known = await sign(first);
    expect(await call(known)).toEqual(OK);
    await provider[Symbol.asyncDispose]();
    await sleep(700);
    expect(await call(await sign(first))).toEqual(OK);
    expect(await call(await sign(second))).toEqual(UNCHECKABLE);
    await sleep(1500);
    expect(await call(await sign(first))).toEqual(UNCHECKABLE);
    expect(await call(known)).toEqual(OK);
    await startProvider([second], Number(new URL(provider.issuer).port));
    await sleep(400);
    expect(await call(await sign(second))).toEqual(OK);
  });

  test('is waited for by nobody at the start', async () => {
    const issuer = `http://127.0.0.1:${String(await freePort())}`;
    const { sign, call } = await startFor(issuer, { cooldown: 20 });
    expect(await call(await sign(first))).toEqual(UNCHECKABLE);
    await startProvider([first], Number(new URL(issuer).port));
    await sleep(30);
    expect(await call(await sign(first))).toEqual(OK);
  });
});
