import { expect, test } from '@jest/globals';
import { StoreUnavailable, ValueRefused } from '../../../src/storage/store-errors.ts';
import { GARDEN, gardenOperations } from '../../services/garden/garden.ts';
import { startApp, YAML } from '../../support/app.ts';
import type { Handler } from '../../../src/service.ts';

const PLAIN = 'application/json';
const PROBLEM = 'application/problem+json';

const garden = await startApp({ yaml: GARDEN, operations: gardenOperations });

/** A service whose removeBed declares failures as problems, except 401. Returns a function that calls it. */
async function startProblems(operation: Handler, requests = 100) {
  const app = await startApp({
    beside: garden,
    yaml: GARDEN,
    operations: { ...gardenOperations, removeBed: operation, newestBed: operation },
    rateLimit: { requests, windowMs: 60_000 },
  });
  return async (path: string, token = app.token, method = 'DELETE') => {
    const headers = { Authorization: `Bearer ${token}` };
    const response = await fetch(`${app.url}/v1:b${path}`, { method, headers });
    const type = response.headers.get('content-type');
    expect([PLAIN, PROBLEM]).toContain(type);
    return { status: response.status, type, body: await response.json() };
  };
}

const problem = (status: number, title: string, detail: unknown, error: number) => ({
  status,
  type: PROBLEM,
  body: { type: 'about:blank', title, status, detail, error },
});
const text = expect.any(String);

test('a failure is a problem (RFC 9457) if the operation declares one for its status or under default', async () => {
  const remove = await startProblems(() => Promise.resolve({ status: 204 }));
  expect(await remove('/beds/1?colour=red')).toEqual(problem(400, 'Bad Request', 'query.colour is not allowed', 40010));
  expect(await remove('/beds/1', 'wrong')).toEqual({
    status: 401,
    type: PLAIN,
    body: { error: 40101, message: text },
  });
});

test.each([
  ['of the operation', new Error('the cause'), 500, 'Internal Server Error', 50000],
  ['of the store', new StoreUnavailable('away'), 503, 'Service Unavailable', 50300],
  ['of a value that cannot be stored', new ValueRefused('a text has U+0000'), 400, 'Bad Request', 40010],
])(
  'the reply to a failure %s is a problem (RFC 9457) if the operation declares one',
  async (_name, failure, status, title, error) => {
    const remove = await startProblems(() => Promise.reject(failure));
    expect(await remove('/beds/1')).toEqual(problem(status, title, text, error));
  },
);

test('the answer 429 is a problem (RFC 9457) if the operation declares one', async () => {
  const remove = await startProblems(() => Promise.resolve({ status: 204 }), 0);
  expect(await remove('/beds/1')).toEqual(problem(429, 'Too Many Requests', text, 42900));
});

test('a failure of an unknown path, an unknown method or another operation is not a problem (RFC 9457)', async () => {
  const remove = await startProblems(() => Promise.reject(new Error('the cause')));
  for (const [path, status, method] of [
    ['/none', 404],
    ['/beds/1', 405, 'POST'],
    ['/beds/newest', 500, 'GET'],
  ] as const)
    expect(await remove(path, undefined, method)).toMatchObject({
      status,
      type: PLAIN,
      body: { error: expect.any(Number), message: text },
    });
});

test('a failure outside operations is a problem (RFC 9457) where all failures of the contract are', async () => {
  const yaml = `${YAML.slice(0, YAML.indexOf('    Error:\n'))}    Error: { type: object }\n`;
  const { url } = await startApp({
    beside: garden,
    yaml: yaml.replace(/\n {2}responses:\n[^]*?\n {2}headers:\n/, (part) => part.replaceAll(PLAIN, PROBLEM)),
  });
  for (const [path, status] of [
    ['/none', 404],
    ['/items', 405],
  ] as const) {
    const response = await fetch(url + path);
    expect([response.status, response.headers.get('content-type')]).toEqual([status, PROBLEM]);
    expect(await response.json()).toMatchObject({ type: 'about:blank', status, detail: text });
  }
});

test('the log has the number of a failure that an operation returns as a problem', async () => {
  const body = { type: 'about:blank', title: 'Not Found', status: 404, detail: 'there is no such bed', error: 40411 };
  const removeBed: Handler = () => Promise.resolve({ status: 404, body });
  const app = await startApp({ beside: garden, yaml: GARDEN, operations: { ...gardenOperations, removeBed } });
  const headers = { Authorization: `Bearer ${app.token}` };
  const response = await fetch(`${app.url}/v1:b/beds/1`, { method: 'DELETE', headers });
  expect([response.status, await response.json()]).toEqual([404, body]);
  expect(await app.lineOf(response)).toMatchObject({ status: 404, error: 40411 });
});
