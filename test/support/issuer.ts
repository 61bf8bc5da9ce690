import { isDeepStrictEqual } from 'node:util';
import { afterAll } from '@jest/globals';
import { PACE } from '../../src/auth/issuer-keys.ts';
import { startApp } from './app.ts';
import { AUDIENCE, makeKey, sign, type SigningKey, TestProvider } from './provider.ts';
import { createPlant } from './service.ts';

export const first = await makeKey('first');

const providers: TestProvider[] = [];
afterAll(() => Promise.all(providers.map((provider) => provider[Symbol.asyncDispose]())));

/** Starts a provider that ends with the tests. */
export async function startProvider(keys = [first], port = 0): Promise<TestProvider> {
  const provider = await TestProvider.start(keys, port);
  providers.push(provider);
  return provider;
}

/** A service that takes the tokens of an issuer, and tells what it answers to them. */
export async function startFor(issuer: string, pace: Partial<typeof PACE> = {}, jwksUrl?: string) {
  const settings = { issuer, audience: AUDIENCE, scopes: [], jwksUrl };
  const app = await startApp({ issuer: settings, pace: { ...PACE, ...pace } });
  let count = 0;
  return {
    app,
    // Each token is a new one, unless it is given: none is known.
    sign: (key: SigningKey, header: object = {}) =>
      sign(key, { iss: issuer, aud: AUDIENCE, sub: `s${count++}`, exp: Date.now() / 1000 + 300 }, header),
    call: async (token: string) => {
      const response = await createPlant({ url: app.url, token }, '{"id":1,"name":"x"}');
      const { error } = (await response.json()) as { error?: number };
      return [response.status, error, response.headers.get('retry-after')];
    },
    logged: () => app.log.filter(({ msg }) => msg === 'the keys of the token issuer cannot be fetched'),
  };
}
export const [OK, REFUSED, UNCHECKABLE] = [
  [200, undefined, null],
  [401, 40101, null],
  [503, 50301, '1'],
];
export const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks until the answer is this one: how long that takes is for the machine to say. */
export async function eventually(answer: () => Promise<unknown>, expected: unknown): Promise<void> {
  while (!isDeepStrictEqual(await answer(), expected)) await sleep(20);
}
