import { describe, expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { THINGS } from '../support/contracts.ts';
import { startThings, VALID } from '../support/things.ts';

const ID = '9007199254740993';
const { app, seen, call } = await startThings();
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
        caller: { key: 'token tests', name: 'tests', subject: undefined, scopes: new Set() },
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
    ['/things/1?limit=101', 'query.limit must be at most 100'],
    ['/things/1?limit=1&limit=2', 'query.limit must be an integer'],
    ['/things/1?kind=stone', 'query.kind must be equal to one of the allowed values: tree, herb'],
    ['/things/1?colour=red', 'query.colour is not allowed'],
    ['/things/1?[limit]=1', 'query.[limit] is not allowed'],
    ['/things/1?limit[=1', 'query.limit[ is not allowed'],
    ['/things/1?limit[a]=1', 'query.limit[a] is not allowed'],
    ['/things/1?limit[__proto__]=1', 'query.limit[__proto__] is not allowed'],
    ['/things/1?a%5b=', 'query.a[ is not allowed'],
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
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD, PUT']);
});

test('a base path is taken to the letter', async () => {
  expect((await fetch(`${app.url}/things/newest`)).status).toBe(404);
  expect((await fetch(`${app.url}/aab(c)/things/newest`)).status).toBe(404);
});

test('the path of the servers stands between the base path and that of the operation', async () => {
  const thing = () => Promise.resolve({ status: 204 });
  const { url } = await startApp({
    yaml: THINGS.replace('paths:', 'servers: [{ url: https://things.example/v1:b }]\npaths:'),
    operations: { newestThing: thing, getThing: thing, putThing: thing },
    basePath: '/shop',
  });
  expect((await fetch(`${url}/shop/v1:b/things/newest`)).status).toBe(204);
  for (const path of ['/shop/things/newest', '/v1:b/things/newest', '/v1:b/shop/things/newest', '/things/newest'])
    expect((await fetch(url + path)).status).toBe(404);
  for (const path of ['/shop/docs/', '/shop/openapi.yaml']) expect((await fetch(url + path)).status).toBe(200);
  for (const path of ['/shop/v1:b/docs/', '/shop/v1:b/openapi.yaml'])
    expect((await fetch(url + path)).status).toBe(404);
});
