import { createServer } from 'node:http';
import { join } from 'node:path';
import type { AddressInfo } from 'node:net';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';
import { Client } from '../../../testing/index.ts';

const contract = pathToFileURL(join(import.meta.dirname, '../../services/parcels/openapi.yaml'));
/** What a service would send, by its path. */
const REPLIES: Readonly<Record<string, string>> = {
  '/v2/prices': '{"at":0,"de":4.5}',
  '/v2/depots': '[{"id":1}]',
  '/v2/parcels/7': '{"id":9007199254740993,"to":{"name":"Ada","street":["Long Lane","12"]},"grams":250.0}',
  '/other': '[1,9007199254740993]',
};
const server = createServer(({ url = '' }, response) => {
  response.end(REPLIES[url.replace(/\?.*/, '')]);
});
afterAll(() => {
  server.close();
});
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

test.each([
  ['a number', '/v2/prices', { at: 0, de: 4.5 }],
  ['an int64', '/v2/depots', [{ id: 1n }]],
  [
    'an int64 and an integer',
    '/v2/parcels/7?full=1',
    { id: 9007199254740993n, to: { name: 'Ada', street: ['Long Lane', '12'] }, grams: 250 },
  ],
])('a client that has the service gets %s as its contract types it', async (_, path, body) => {
  const { body: received } = await new Client({ url, service: { contract } }).send<unknown>('GET', path);
  expect(received).toStrictEqual(body);
});

test('a client without a service gets each integer as a bigint', async () => {
  const client = new Client({ url });
  expect((await client.send<unknown>('GET', '/v2/prices')).body).toStrictEqual({ at: 0n, de: 4.5 });
  expect((await client.send<unknown>('GET', '/other')).body).toStrictEqual([1n, 9007199254740993n]);
});
