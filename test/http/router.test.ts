import { describe, expect, test } from '@jest/globals';
import { startGarden } from '../garden/garden.ts';

const { app, seen, call } = await startGarden('/a+b(c)');

test('a path without parameters comes before one with them', async () => {
  expect((await call('GET', '/beds/newest')).status).toBe(204);
  expect(seen[0]?.path).toEqual({});
});

test('a method that a path does not have gets 405 with those that it has', async () => {
  const { status, headers } = await call('POST', '/beds/1');
  expect([status, headers.allow]).toEqual([405, 'GET, HEAD, PUT, DELETE']);
});

test('the security is that of the operation: some are open, their neighbours are not', async () => {
  const statusOf = async (path: string) => (await call('GET', path, { headers: { Authorization: '' } })).status;
  expect([await statusOf('/beds'), await statusOf('/beds/newest'), await statusOf('/beds/1')]).toEqual([200, 204, 401]);
});

describe('below the path of BASE_URL, to the letter, are the pages, and below that of servers the operations:', () => {
  test.each([
    ['/a+b(c)/v1:b/beds/newest', 204],
    ['/v1:b/beds/newest', 404],
    ['/a+b(c)/beds/newest', 404],
    ['/aab(c)/v1:b/beds/newest', 404],
    ['/v1:b/a+b(c)/beds/newest', 404],
    ['/a+b(c)/v1/beds/newest', 404],
    ['/a+b(c)/docs/', 200],
    ['/a+b(c)/openapi.yaml', 200],
    ['/a+b(c)/v1:b/docs/', 404],
    ['/a+b(c)/v1:b/openapi.yaml', 404],
  ])('%s', async (path, status) => {
    expect((await fetch(app.url + path)).status).toBe(status);
  });
});

test.each(['OPTIONS', 'HEAD', 'PATCH', 'TRACE'])('a path may have the method %s', async (method) => {
  expect((await call(method, '/gate')).status).toBe(204);
});
