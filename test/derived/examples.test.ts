import { beforeAll, describe, expect, test } from '@jest/globals';
import { makeToken } from '../../packages/trellis/src/auth/token.ts';
import { resolver } from '../../packages/contract/src/schema/document.ts';
import { loadContract } from '../../packages/contract/src/load.ts';
import { AUDIENCE, makeKey, TestProvider } from '../../packages/trellis/test/support/provider.ts';
import { freePort } from '../../packages/trellis/test/support/port.ts';
import type { Instance } from '../../packages/trellis/test/support/service.ts';
import { judgeOf } from '../../packages/trellis/test/support/judge.ts';
import { Checker } from '../../packages/trellis/testing/derived/check.ts';
import { plants } from '../../src/index.ts';
import { createPlant, PLANTS, startPlantApp, startPlantInstance, startPlants } from '../support.ts';

interface Example {
  readonly value?: unknown;
}
/** A Media Type Object with examples. */
interface Exemplified {
  readonly examples?: Readonly<Record<string, Example>>;
}
type Examples = readonly { readonly name: string; readonly mediaType: string; readonly value: unknown }[];

const contract = await loadContract(plants.contract);
const resolve = resolver(contract.document);

function examplesIn(content: object = {}): Examples {
  return Object.entries(content).flatMap(([mediaType, { examples = {} }]: [string, Exemplified]) =>
    Object.entries(examples).map(([name, example]) => ({ name, mediaType, value: resolve(example).value })),
  );
}

const operation = contract.operations.find(({ id }) => id === 'createPlant');
if (operation === undefined) throw new Error('openapi.yaml has no operation createPlant');
const { requestBody, responses = {} } = contract.document.paths?.[operation.path]?.post ?? {};
const requests = examplesIn(requestBody && resolve(requestBody).content);
const replies = Object.entries(responses).flatMap(([status, response]) =>
  examplesIn(resolve(response).content).map((example) => ({ status, ...example })),
);

let service: Instance;
beforeAll(async () => {
  service = await startPlantInstance();
});

const FIRST = '{"id":9007199254740993,"name":"Monstera deliciosa"}';
const REQUEST_ID = { 'X-Request-Id': '3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10' };
/** For each example of a failure: how to make the service answer with it. */
const PROVOKED: Readonly<Record<string, () => Promise<Response>>> = {
  faults: () => createPlant(service, '{"colour":"green","id":"1"}'),
  conflict: async () => {
    await createPlant(service, FIRST);
    return createPlant(service, FIRST.replace('Monstera', 'Ficus'));
  },
  notJson: () => createPlant(service, '{"id": 1,'),
  missing: () => fetch(`${service.url}/plants`, { method: 'POST', body: FIRST }),
  invalid: () => createPlant({ url: service.url, token: 'unknown' }, FIRST),
  tooMany: async () => {
    const limited = await startPlantInstance({ RATE_LIMIT: '1/12s' });
    await createPlant(limited, FIRST);
    return createPlant(limited, FIRST);
  },
  internal: async () => {
    const app = await startPlantApp({ operations: { createPlant: () => Promise.reject(new Error('sabotage')) } });
    return createPlant(app, FIRST, REQUEST_ID);
  },
  unavailable: async () => {
    const environment = { DATABASE_URL: `postgres://nobody@127.0.0.1:${await freePort()}/none` };
    const { url } = await startPlants(environment, undefined, undefined, 'listening');
    return createPlant({ url, token: makeToken('plant-store') }, FIRST, REQUEST_ID);
  },
  scope: async () => {
    await using provider = await TestProvider.start([await makeKey('key')]);
    const issuer = { issuer: provider.issuer, audience: AUDIENCE, scopes: ['plants:write'], jwksUrl: undefined };
    const { url } = await startPlantApp({ issuer });
    return await createPlant({ url, token: await provider.token(['plants:read']) }, FIRST);
  },
  uncheckable: async () => {
    const provider = await TestProvider.start([await makeKey('key')]);
    const token = await provider.token();
    await provider[Symbol.asyncDispose]();
    const { url } = await startPlantInstance({ JWT_ISSUER: provider.issuer, JWT_AUDIENCE: AUDIENCE });
    return createPlant({ url, token }, FIRST);
  },
};
describe('the examples of createPlant', () => {
  test.each(requests)(
    'createPlant answers the example $name of a request as the contract shows',
    async ({ mediaType, value, name }) => {
      const sent = { path: operation.path, query: '', headers: {} };
      const body = { mediaType, text: JSON.stringify(value) };
      const { status, text } = await new Checker(contract, {
        ...PLANTS,
        url: service.url,
        token: service.token,
        judgeOf,
      }).send(operation, { sent, body });
      expect(Math.floor(status / 100)).toBe(2);
      const shown = replies.find((reply) => reply.name === name && reply.status === String(status));
      if (shown !== undefined) expect(JSON.parse(text)).toEqual(shown.value);
    },
  );

  const failures = replies.filter(({ status }) => !status.startsWith('2'));
  test.each(failures)(
    'the example $name of the reply $status is what the service answers',
    async ({ name, status, value }) => {
      const response = await PROVOKED[name]?.();
      expect(await response?.json()).toEqual(value);
      if (status !== 'default') expect(response?.status).toBe(Number(status));
    },
  );

  test('show successes with and without a tag, and failures of each kind', () => {
    expect(requests.map(({ name }) => name)).toEqual(expect.arrayContaining(['withTag', 'withoutTag']));
    expect(replies.filter(({ status }) => status === '200').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['withTag', 'withoutTag']),
    );
    const names = failures.map(({ name }) => name);
    expect(new Set(names)).toEqual(new Set(Object.keys(PROVOKED)));
  });
});
