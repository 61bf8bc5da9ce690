import { expect, test } from '@jest/globals';
import type { Failure } from 'trellis';
import { startApp, YAML } from '../../support/app.ts';
import { byHand, sendRaw } from '../../support/raw.ts';
import { itemOperations, items } from '../../services/items/index.ts';

/** The contract of the items, with another shape of failures, and none for 401. */
const yaml = `${YAML.slice(0, YAML.indexOf('    Error:\n'))}    Error:
      type: object
      additionalProperties: false
      required: [code, request]
      properties:
        code: { type: integer, format: int64 }
        request: { type: string }
        why: { type: string, maxLength: 40000 }
        operation: { type: string }
        at: { type: array, maxItems: 10, items: { type: object } }
`.replace(/(Unauthorized:\n[^]*?) {6}content:\n.*\n.*\n.*\n/, '$1');
let broken: unknown;
const errorBody = ({ number, message, requestId, operationId, faults }: Failure) => {
  if (broken !== undefined) return broken instanceof Error ? Promise.reject(broken) : broken;
  return { code: number, why: message, request: requestId, operation: operationId, at: faults };
};
const app = await startApp({
  service: { ...items, errorBody },
  yaml,
  operations: { ...itemOperations, createItem: () => Promise.reject(new Error('the operation broke')) },
});
const { create } = byHand(app);
const fetched = async (path: string, init: RequestInit = {}, token: string | undefined = app.token) => {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(app.url + path, { ...init, headers });
  return { response, status: response.status, type: response.headers.get('content-type'), text: await response.text() };
};
const post = (body: string, token?: string) => fetched('/items', { method: 'POST', body }, token);

test('a request that breaks the contract gets the body of the service, with each fault', async () => {
  const { response, status, type, text } = await post('{"id":"x","name":"","tags":[]}');
  expect([status, type]).toEqual([400, 'application/json']);
  const { why, at, ...others } = JSON.parse(text) as Record<string, unknown>;
  expect(others).toEqual({
    code: 40010,
    request: response.headers.get('x-request-id'),
    operation: 'createItem',
  });
  expect(at).toEqual([
    { in: 'body', pointer: '/tags', keyword: 'additionalProperties', message: 'is not allowed' },
    { in: 'body', pointer: '/id', keyword: 'type', message: 'must be an integer' },
    { in: 'body', pointer: '/name', keyword: 'minLength', message: 'must not be empty' },
  ]);
  expect(why).toBe('body.tags is not allowed; body.id must be an integer; body.name must not be empty');
});

test.each([
  ['an operation that fails', () => post('{"id":1,"name":"x"}'), 500, 50000, 'createItem'],
  ['an unknown path', () => fetched('/nothing'), 404, 40400, undefined],
  ['another method', () => fetched('/items'), 405, 40500, undefined],
])('%s gets the body of the service', async (_what, ask, expected, code, operation) => {
  const { status, text } = await ask();
  const body = JSON.parse(text) as Record<string, unknown>;
  expect([status, body['code'], body['operation'], body['at']]).toEqual([expected, code, operation, []]);
});

test('bytes that are no request get the body of the service too, with the request id of the log line', async () => {
  const { status, headers, body } = await sendRaw(app.url, 'NONSENSE\r\n\r\n');
  const { code, request } = JSON.parse(body) as Record<string, unknown>;
  expect([status, code, request]).toEqual([400, 40001, headers['x-request-id']]);
  expect(await app.lineOf(String(request))).toMatchObject({ msg: 'unreadable request', error: 40001 });
});

test('a failure without content in the contract gets no body', async () => {
  const { status, type, text } = await fetched('/items', { method: 'POST', body: '{}' }, '');
  expect([status, type, text]).toEqual([401, null, '']);
});

test.each([
  ['a body that breaks the contract', { code: 'x' }, 'body.code must be an integer'],
  ['a promise', new Error('too late'), 'at once'],
])('an errorBody that gives %s leaves the status, sends no body, and the log has why', async (_what, made, why) => {
  broken = made;
  try {
    const answers = [await post('{}'), await fetched('/nothing')];
    expect(answers.map(({ status, type, text }) => [status, type, text])).toEqual([
      [400, null, ''],
      [404, null, ''],
    ]);
    for (const { response } of answers) {
      const line = await app.lineOf(response);
      expect(JSON.stringify(line)).toContain(why);
    }
    const { status, body, headers } = await sendRaw(app.url, 'NONSENSE\r\n\r\n');
    expect([status, body, headers['content-length']]).toEqual([400, '', '0']);
    const failed = await sendRaw(app.url, create('{"id":1,"name":"x"}', 'Connection: close'));
    expect([failed.status, failed.body]).toEqual([500, '']);
    const line = JSON.stringify(await app.lineOf(failed.headers['x-request-id'] ?? ''));
    expect(line).toContain('the operation broke');
    expect(line).toContain(why);
  } finally {
    broken = undefined;
  }
});

test.each([
  [404, 404],
  [499, 404],
  [500, 500],
  [302, 500],
])('an operation that answers %i by default, whose body lists no numbers, gets the client %i', async (status, got) => {
  const body = { code: BigInt(status), request: 'x', why: undefined, operation: undefined, at: undefined };
  const own = await startApp({
    beside: app,
    service: { ...items, errorBody },
    yaml,
    operations: { ...itemOperations, createItem: () => Promise.resolve({ status, body }) },
  });
  const response = await fetch(`${own.url}/items`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', Authorization: `Bearer ${own.token}` },
    body: '{"id":1,"name":"x"}',
  });
  expect([response.status, JSON.parse(await response.text())]).toMatchObject([
    got === 404 ? status : got,
    { code: got === 404 ? status : 50000 },
  ]);
});
