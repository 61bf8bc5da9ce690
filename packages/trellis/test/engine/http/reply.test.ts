import { describe, expect, test } from '@jest/globals';
import { startApp } from '../../support/app.ts';
import { startGarden } from '../../services/garden/garden.ts';

const { app, call } = await startGarden();
const VALID = { status: 200, headers: { 'X-Total': 1n }, body: {} };

describe('valid replies', () => {
  test('a valid reply is sent with each digit of int64, in the body and in a header', async () => {
    const body = { id: 9007199254740993n, size: 1.5, parts: [{ id: -9223372036854775808n, parts: [] }] };
    const { status, text, headers } = await call('GET', '/beds/1', {
      reply: { status: 200, headers: { 'X-Total': 2n ** 62n }, body },
    });
    expect(status).toBe(200);
    expect(text).toBe('{"id":9007199254740993,"size":1.5,"parts":[{"id":-9223372036854775808,"parts":[]}]}');
    expect(headers['x-total']).toBe('4611686018427387904');
  });

  test('a valid reply is sent with header fields in other letters than those of the contract', async () => {
    const { status, headers } = await call('GET', '/beds/1', { reply: { ...VALID, headers: { 'x-TOTAL': 5n } } });
    expect([status, headers['x-total']]).toEqual([200, '5']);
  });

  test('a valid reply is sent without headers that are undefined', async () => {
    const { status, headers } = await call('GET', '/beds/1', {
      reply: { ...VALID, headers: { 'X-Total': 1n, 'X-Note': undefined } },
    });
    expect([status, 'x-note' in headers]).toEqual([200, false]);
  });

  test('a valid reply is sent without headers that its object only inherits', async () => {
    const { status, headers } = await call('GET', '/beds/1', {
      reply: { ...VALID, headers: Object.assign(Object.create({ 'X-Note': 'inherited' }) as object, VALID.headers) },
    });
    expect([status, 'x-note' in headers]).toEqual([200, false]);
  });

  test('a valid reply is sent without a body if the contract declares none', async () => {
    const { status, text, headers } = await call('GET', '/beds/newest');
    expect([status, text, 'content-length' in headers]).toEqual([204, '', false]);
  });

  test('a valid reply is sent with a status 503 that the operation declares', async () => {
    const { status, text } = await call('PUT', '/beds/1', { reply: { status: 503, body: { reason: 'tired' } } });
    expect([status, text]).toEqual([503, '{"reason":"tired"}']);
  });
});

test('the service leaves out what an operation returns beyond the members that the contract declares', async () => {
  const body = { id: 1n, secret: 'from the store', name: undefined };
  const { status, text } = await call('GET', '/beds/1', { reply: { ...VALID, body } });
  expect([status, text]).toEqual([200, '{"id":1}']);
});

describe('invalid replies', () => {
  const body = { secret: 'from the store' };
  const withBody = (each: unknown) => ({ ...VALID, body: each });
  const withHeaders = (headers: object) => ({ ...VALID, headers });
  test.each([
    ['a header twice, in other letters', withHeaders({ 'X-Total': 1n, 'x-total': 2n }), 'the header X-Total twice'],
    ['a member of another type', withBody({ id: 'one' }), 'body.id must be an integer'],
    ['an int64 above the range', withBody({ id: 2n ** 63n }), 'body.id must be an integer from'],
    ['an int64 below the range', withBody({ id: -(2n ** 63n) - 1n }), 'body.id must be an integer from'],
    ['an int64 that was rounded', withBody({ id: 2 ** 60 }), 'body.id must be an integer from'],
    ['Infinity, which JSON lacks', withBody({ size: Infinity }), 'body.size must be '],
    ['a bigint instead of an array', withBody({ parts: [{ parts: 1n }] }), '0.parts must be an array'],
    ['no body', { status: 200, headers: { 'X-Total': 1n } }, 'body is required'],
    ['the body null', withBody(null), 'body must be an object'],
    ['a body with a status that has none', { status: 204, body }, 'body is not allowed'],
    ['an undeclared status', { status: 418, body: {} }, 'answered 418, which the contract does not declare'],
    ['the status "default"', { status: 'default', body: { error: 1, message: 'x' } }, 'status'],
    ['an undeclared header', withHeaders({ 'X-Totl': 1n }), 'header.X-Totl is not allowed'],
    ['no required header', { status: 200, body: {} }, 'header.X-Total is required'],
    ['undefined for a required header', withHeaders({ 'X-Total': undefined }), 'header.X-Total is required'],
    [
      'a header that only the service may send',
      withHeaders({ 'X-Total': 1n, RateLimit: 'x' }),
      'getBed answered with the header RateLimit',
    ],
    ['a header with a status that has none', { status: 204, headers: { 'X-Any': 1 } }, 'header.X-Any is not allowed'],
    [
      'a header whose value contains a second one',
      withHeaders({ 'X-Total': 1n, 'X-Note': 'a\r\nb: c' }),
      'Invalid character in header',
    ],
    ['a header of another type', withHeaders({ 'X-Total': 'many' }), 'header.X-Total must be an integer'],
    [
      'a header with an int64 out of range',
      withHeaders({ 'X-Total': 2n ** 63n }),
      'header.X-Total must be an integer from',
    ],
    ['a rejected promise', new Error('the cause, for the log'), 'the cause, for the log'],
    ['undefined', undefined, 'undefined'],
  ])('the service sends 500, and logs the reason, when an operation returns %s', async (_name, reply, reason) => {
    const path = (reply as { status?: number } | undefined)?.status === 204 ? '/beds/newest' : '/beds/1';
    const { status, text, headers, requestId } = await call('GET', path, { reply });
    expect(status).toBe(500);
    expect(JSON.parse(text)).toEqual({
      error: 50000,
      message: `the service failed; its log has the cause under request id ${requestId}`,
    });
    expect(['b' in headers, 'x-total' in headers]).toEqual([false, false]);
    const line = await app.lineOf(requestId);
    expect(line).toMatchObject({ level: 50, status: 500, error: 50000 });
    // The log has a failure with its stack (`err`) the first time, and then without (`failure`).
    expect(JSON.stringify(line['err'] ?? line['failure'])).toContain(reason);
  });

  test('the service sends 500, and logs the reason, when an operation returns an invalid body with a declared status 503', async () => {
    const { status, text, requestId } = await call('PUT', '/beds/1', { reply: { status: 503, body: { reason: 1 } } });
    expect([status, text]).toEqual([500, expect.stringContaining(requestId)]);
  });
});

test('the log has the stack of a repeated failure once, and then counts the repetitions', async () => {
  const lines = [];
  for (const failure of Array.from({ length: 3 }, () => new Error('sabotage'))) {
    const { requestId } = await call('GET', '/beds/1', { reply: failure });
    const { failure: told, repeats, err } = await app.lineOf(requestId);
    lines.push([told, repeats, err === undefined]);
  }
  expect(lines).toEqual([
    [undefined, undefined, false],
    ['Error: sabotage', 1, true],
    ['Error: sabotage', 2, true],
  ]);
});

test('a reply without a body has Content-Length: 0, but none to a HEAD request or with 304', async () => {
  const failure = 'default: { description: a failure, content: { application/json: { schema: {} } } }';
  const yaml = `
openapi: 3.1.0
info: { title: Lengths, version: 1.0.0 }
paths:
  /thing:
    get: { operationId: getThing, responses: { '304': { description: as it was }, ${failure} } }
    head: { operationId: seeThing, responses: { '200': { description: it is there }, ${failure} } }
    put: { operationId: putThing, responses: { '200': { description: it is there }, ${failure} } }
`;
  const answer = (status: number) => () => Promise.resolve({ status });
  const operations = { getThing: answer(304), seeThing: answer(200), putThing: answer(200) };
  const { url } = await startApp({ yaml, operations });
  const lengthOf = async (method: string) => (await fetch(`${url}/thing`, { method })).headers.get('content-length');
  expect([await lengthOf('GET'), await lengthOf('HEAD'), await lengthOf('PUT')]).toEqual([null, null, '0']);
});
