import { gzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from '@jest/globals';
import type { RequestData } from '../../../../contract/src/message/operation.ts';
import { byHand, JSON_TYPE, sendRaw } from '../../support/raw.ts';
import { createItem } from '../../support/service.ts';
import { until } from '../../support/until.ts';
import { startApp, YAML } from '../../support/app.ts';
import { itemOperations } from '../../services/items/index.ts';

const MIB = 2 ** 20;
const post = (id: string, limit: string) => `
  /${id}:
    post:
      operationId: ${id}
      ${limit}
      requestBody: { content: { application/json: { schema: { type: array, items: { type: string } } } } }
      responses: { '204': { description: done }, default: { $ref: '#/components/responses/Failure' } }`;

const seen: string[] = [];
let answer: Promise<unknown> = Promise.resolve();
const take = ({ body }: RequestData) => {
  seen.push(...(body as string[]));
  return Promise.resolve({ status: 204 });
};
const takeAndWait = (request: RequestData) => Promise.all([take(request), answer]).then(([reply]) => reply);
const app = await startApp({
  yaml: YAML.replace(
    '\npaths:',
    `\npaths:${post('large', 'x-max-body-bytes: 1048576')}${post('small', 'x-max-body-bytes: 10')}`,
  ),
  operations: { ...itemOperations, large: takeAndWait, small: take },
});

/** A JSON array of one string, `bytes` long. */
const body = (bytes: number) => JSON.stringify(['x'.repeat(bytes - 4)]);

async function send(path: string, sent: string | Uint8Array<ArrayBuffer> | ReadableStream, headers = {}) {
  const response = await fetch(`${app.url}/${path}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json', ...headers },
    body: sent,
    duplex: 'half',
  });
  const text = await response.text();
  return text === '' ? response.status : (JSON.parse(text) as unknown);
}

beforeEach(() => {
  seen.length = 0;
});

describe('limits of bodies', () => {
  const tooLarge = (bytes: number) => ({ error: 40005, message: `body is larger than ${bytes} bytes` });
  test.each([
    ['large', MIB],
    ['small', 10],
  ])('an operation accepts a body up to its own limit: /%s up to %d bytes', async (path, bytes) => {
    expect(await send(path, body(bytes))).toBe(204);
    expect(seen.map(({ length }) => length)).toEqual([bytes - 4]);
    expect(await send(path, body(bytes + 1))).toEqual(tooLarge(bytes));
    expect(seen).toHaveLength(1);
  });

  test('an operation accepts a body up to its own limit: sent in chunks', async () => {
    const chunked = (bytes: number) => new Blob([body(bytes)]).stream();
    expect(await send('large', chunked(MIB))).toBe(204);
    expect(await send('large', chunked(MIB + 1))).toEqual(tooLarge(MIB));
    expect(await send('small', chunked(11))).toEqual(tooLarge(10));
  });

  test('an operation accepts a body up to its own limit: measured after decompression', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    expect(await send('large', gzipSync(body(MIB)), gzip)).toBe(204);
    expect(await send('large', gzipSync(body(MIB + 1)), gzip)).toEqual(tooLarge(MIB));
  });

  test('an operation accepts a body up to its own limit: sent behind another request on the same connection', async () => {
    const { request, AUTH } = byHand(app);
    const large = (bytes: number, last = 'X: y') =>
      request('POST /large', AUTH, JSON_TYPE, `Content-Length: ${bytes}`, last) + body(bytes);
    const { statuses } = await sendRaw(app.url, large(MIB) + large(MIB) + large(MIB + 1, 'Connection: close'));
    expect(statuses).toEqual([204, 204, 400]);
  });

  test('an operation accepts a body up to its own limit: /items up to 64 KiB, the default', async () => {
    const item = (bytes: number) => '{"id":1,"name":"x"}'.padEnd(bytes);
    expect((await createItem(app, item(65_536))).status).toBe(200);
    const response = await createItem(app, item(65_537));
    expect([response.status, await response.json()]).toEqual([400, tooLarge(65_536)]);
  });
});

test('a body of 1 MiB counts as 16 requests under way, one for each 64 KiB', async () => {
  const { promise, resolve } = Promise.withResolvers();
  answer = promise;
  const large = gzipSync(body(MIB));
  const answers: Promise<unknown>[] = [];
  // One after the other: a busy machine takes longer to read 128 at once than a head may take to arrive.
  while (answers.length < 128) {
    answers.push(send('large', large, { 'Content-Encoding': 'gzip' }));
    await until(() => seen.length === answers.length);
  }
  const refused = await send('small', '[]');
  resolve(undefined);
  expect(refused).toEqual({ error: 50300, message: 'the service is busy: try again' });
  expect(await Promise.all(answers)).toEqual(answers.map(() => 204));
  expect(await send('small', '[]')).toBe(204);
});
