import { describe, expect, test } from '@jest/globals';
import type { RequestData } from '../../src/contract/exchange.ts';
import type { ReplyData } from '../../src/contract/reply.ts';
import { startApp } from '../support/app.ts';
import { THINGS } from '../support/contracts.ts';

const ID = '9007199254740993';
const seen: RequestData[] = [];
let answer: unknown;
/** Answers what the test says, as an operation could whose types the compiler was not shown. */
const operation = (request: RequestData): Promise<ReplyData> => {
  seen.push(request);
  return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer as ReplyData);
};
const app = await startApp({
  yaml: THINGS,
  basePath: '/a+b(c)',
  operations: { newestThing: operation, getThing: operation, putThing: operation },
});

const VALID = { status: 200, headers: { 'X-Total': 1 }, body: {} };
async function call(
  reply: unknown,
  method: string,
  path: string,
  options: { headers?: Record<string, string>; body?: string } = {},
) {
  answer = reply;
  seen.length = 0;
  const headers = { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json', ...options.headers };
  const response = await fetch(`${app.url}/a+b(c)${path}`, { ...options, method, headers });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    requestId: response.headers.get('x-request-id') ?? '',
  };
}
const get = (path: string, headers: Record<string, string> = {}) => call(VALID, 'GET', path, { headers });
const put = (body: string, headers: Record<string, string> = {}) => call(VALID, 'PUT', '/things/1', { body, headers });

describe('a request reaches its operation as data:', () => {
  test('int64 is exact in the path, the query and the header', async () => {
    const { status } = await get(`/things/${ID}?limit=5&after=-9223372036854775808&kind=tree`, { 'X-Count': '1e3' });
    expect(status).toBe(200);
    expect(seen).toEqual([
      {
        path: { 'thing-id': 9007199254740993n },
        query: { limit: 5n, after: -9223372036854775808n, kind: 'tree' },
        header: { 'X-Count': 1000n },
        body: undefined,
      },
    ]);
  });

  test('defaults are filled in, int64 as bigint', async () => {
    await get('/things/1');
    expect(seen[0]?.query).toEqual({ limit: 20n });
    await put('{"children":[{"id":2}]}');
    const { age, children } = seen[0]?.body as { age: unknown; children: { age: unknown; id: unknown }[] };
    expect([age, children[0]?.age, children[0]?.id]).toEqual([7n, 7n, 2n]);
  });

  test('int64 is exact at any depth, and a number where the contract allows one', async () => {
    await put(`{"id":${ID},"size":1.5,"children":[{"id":1,"size":${ID},"children":[{"id":-${ID}}]}]}`);
    const body = seen[0]?.body as Record<string, never>;
    expect(
      JSON.stringify(body, (_key, value: unknown) => (typeof value === 'bigint' ? `${String(value)}n` : value)),
    ).toBe(
      `{"id":"${ID}n","size":1.5,"children":[{"id":"1n","size":"${ID}n","children":[{"id":"-${ID}n","age":"7n"}],"age":"7n"}],"age":"7n"}`,
    );
  });

  test('by the media type that was sent', async () => {
    await put(`[1,${ID}]`, { 'Content-Type': 'application/vnd.things+json; v=2' });
    expect(seen[0]?.body).toEqual([1n, 9007199254740993n]);
    expect((await put('{}', { 'Content-Type': 'application/vnd.things+json' })).text).toContain(
      'body must be an array',
    );
  });

  test('without a body where that may be left out', async () => {
    const { status } = await call(VALID, 'PUT', '/things/1');
    expect([status, seen[0]?.body]).toEqual([200, undefined]);
  });

  test('a path without parameters comes before one with them', async () => {
    expect((await call({ status: 204 }, 'GET', '/things/newest')).status).toBe(204);
    expect(seen[0]?.path).toEqual({});
  });
});

describe('parameters that break the contract get 400, with their names:', () => {
  test.each([
    ['/things/1.5', 'path.thing-id must be an integer'],
    ['/things/x', 'path.thing-id must be an integer'],
    ['/things/%201', 'path.thing-id must be an integer'],
    [
      '/things/9223372036854775808',
      'path.thing-id must be an integer from -9223372036854775808 to 9223372036854775807',
    ],
    ['/things/1?limit=101', 'query.limit must be <= 100'],
    ['/things/1?limit=1&limit=2', 'query.limit must be an integer'],
    ['/things/1?kind=stone', 'query.kind must be equal to one of the allowed values: tree, herb'],
    ['/things/1?colour=red', "query.colour Unknown query parameter 'colour'"],
  ])('%s', async (path, message) => {
    const { status, text } = await get(path);
    expect([status, JSON.parse(text)]).toEqual([400, { error: 40010, message }]);
    expect(seen).toEqual([]);
  });

  test('a path parameter that cannot be decoded', async () => {
    const { status, text } = await get('/things/%ff');
    expect([status, (JSON.parse(text) as { error: number }).error]).toEqual([400, 40001]);
  });
});

describe('the security that the contract declares', () => {
  test('is that of the operation: one is open, its neighbours are not', async () => {
    const anonymous = { Authorization: '' };
    expect((await get('/things/newest', anonymous)).status).toBe(200);
    expect((await get('/things/1', anonymous)).status).toBe(401);
    expect((await put('{}', anonymous)).status).toBe(401);
  });
});

test('a method that a path does not have gets 405 with those that it has', async () => {
  const { status, headers } = await call(VALID, 'DELETE', '/things/1');
  expect([status, headers.get('allow')]).toEqual([405, 'GET, PUT']);
});

test('a base path is taken to the letter', async () => {
  expect((await fetch(`${app.url}/things/newest`)).status).toBe(404);
  expect((await fetch(`${app.url}/aab(c)/things/newest`)).status).toBe(404);
});

describe('a reply that keeps the contract is sent:', () => {
  test('int64 digit for digit, in the body and in a header', async () => {
    const body = { id: 9007199254740993n, size: 1.5, children: [{ id: -9223372036854775808n, children: [] }] };
    const { status, text, headers } = await call(
      { status: 200, headers: { 'X-Total': 2n ** 62n }, body },
      'GET',
      '/things/1',
    );
    expect(status).toBe(200);
    expect(text).toBe('{"id":9007199254740993,"size":1.5,"children":[{"id":-9223372036854775808,"children":[]}]}');
    expect(headers.get('x-total')).toBe('4611686018427387904');
  });

  test('with header names in any letter case, and headers that are undefined left out', async () => {
    const { status, headers } = await call(
      { ...VALID, headers: { 'x-total': 1, 'X-Note': undefined } },
      'GET',
      '/things/1',
    );
    expect([status, headers.has('x-note')]).toEqual([200, false]);
  });

  test('without a body, where the contract has none', async () => {
    const { status, text, headers } = await call({ status: 204 }, 'GET', '/things/newest');
    expect([status, text, headers.has('content-length')]).toEqual([204, '', false]);
  });

  test('a declared failure of the service', async () => {
    const { status, text } = await call({ status: 503, body: { reason: 'tired' } }, 'PUT', '/things/1');
    expect([status, text]).toEqual([503, '{"reason":"tired"}']);
  });
});

describe('a reply that breaks the contract is never sent. The client gets 500 and the request id, the log the reason:', () => {
  const body = { secret: 'from the store' };
  test.each([
    ['a member that is not declared', { ...VALID, body }, 'must NOT have additional properties'],
    ['a member of another type', { ...VALID, body: { id: 'one' } }, '/response/id must be integer'],
    ['an int64 out of range', { ...VALID, body: { id: 2n ** 63n } }, '/response/id must match format'],
    ['an int64 out of range below', { ...VALID, body: { id: -(2n ** 63n) - 1n } }, '/response/id must match format'],
    ['an int64 that was rounded', { ...VALID, body: { id: 2 ** 60 } }, '/response/id must match format'],
    [
      'a bigint where none belongs',
      { ...VALID, body: { children: [{ children: 1n }] } },
      '/response/children/0/children must be array',
    ],
    ['no body', { status: 200, headers: { 'X-Total': 1 } }, 'response body required'],
    ['null', { ...VALID, body: null }, 'response body required'],
    ['a body where there is none', { status: 204, body }, 'response should NOT have a body'],
    [
      'a status that is not declared',
      { status: 418, body: {} },
      'getThing answered 418, which the contract does not declare',
    ],
    ['a status of the kind "default"', { status: 'default', body: {} }, 'getThing answered default'],
    [
      'a header that is not declared',
      { ...VALID, headers: { 'X-Totl': 1 } },
      'getThing answered with the header x-totl',
    ],
    ['without a header that is required', { status: 200, body: {} }, 'getThing answered without the header x-total'],
    [
      'without one, by undefined',
      { ...VALID, headers: { 'X-Total': undefined } },
      'getThing answered without the header x-total',
    ],
    [
      'a header that would be two',
      { ...VALID, headers: { 'X-Total': 1, 'X-Note': 'a\r\nSet-Cookie: b' } },
      'Invalid character in header content',
    ],
    ['a failure of the operation', new Error('the cause, for the log'), 'the cause, for the log'],
    ['nothing', undefined, 'undefined'],
  ])('%s', async (_name, reply, reason) => {
    const path = (reply as { status?: number } | undefined)?.status === 204 ? '/things/newest' : '/things/1';
    const { status, text, headers, requestId } = await call(reply, 'GET', path);
    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      error: 50000,
      message: `the service failed; its log has the cause under request id ${requestId}`,
    });
    expect([headers.has('set-cookie'), headers.has('x-total')]).toEqual([false, false]);
    const line = () => app.log.find((each) => each['requestId'] === requestId);
    while (line() === undefined) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(line()).toMatchObject({ level: 50, status: 500, error: 50000 });
    expect(JSON.stringify(line()?.['err'])).toContain(reason);
  });

  test('also if its status is one of a failing service', async () => {
    const { status, text, requestId } = await call({ status: 503, body: { reason: 1 } }, 'PUT', '/things/1');
    expect([status, text]).toEqual([500, expect.stringContaining(requestId)]);
  });
});
