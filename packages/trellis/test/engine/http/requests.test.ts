import { request as httpRequest } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterAll, describe, expect, test } from '@jest/globals';
import { inTime } from '../../support/in-time.ts';
import { byHand, JSON_TYPE, sendRaw, VALID } from '../../support/raw.ts';
import { createItem } from '../../support/service.ts';
import { startApp, YAML } from '../../support/app.ts';
import { itemsIn } from '../../services/items/index.ts';

// The derived tests send every kind of value that the schemas forbid; these tests have the exact messages.

const app = await startApp();
const { HOST, AUTH, post, request, create } = byHand(app);
const sized = (length = VALID.length) => `Content-Length: ${length}`;

async function answerTo(...sent: readonly [body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>]) {
  const response = await createItem(app, ...sent);
  return { status: response.status, body: (await response.json()) as { error: number; message: string } };
}

describe('bodies that break the contract', () => {
  const outOfRange = 'body.id must be an integer from -9223372036854775808 to 9223372036854775807';
  const refused = [
    ['{}', 'body.id is required; body.name is required'],
    ['{"id":"1","colour":"red"}', 'body.name is required; body.colour is not allowed; body.id must be an integer'],
    ['{"id":null,"name":["x"]}', 'body.id must be an integer; body.name must be a string'],
    ['{"id":1,"name":""}', 'body.name must not be empty'],
    ['{"id":1,"name":"x","__proto__":{"a":1}}', 'body.__proto__ is not allowed'],
    ['[]', 'body must be an object'],
    ['{"id":1.5,"name":"x"}', 'body.id must be an integer'],
    ['{"id":9007199254740992.5,"name":"x"}', outOfRange],
    ['{"id":1e-400,"name":"x"}', outOfRange],
    ['{"id":9223372036854775808,"name":"x"}', outOfRange],
    [JSON.stringify({ id: 1, name: 'x'.repeat(1001) }), 'body.name must not have more than 1000 characters'],
    [JSON.stringify({ id: 1, name: '🌱'.repeat(1001) }), 'body.name must not have more than 1000 characters'],
    [JSON.stringify({ id: 1, name: 'x', tag: 'x'.repeat(201) }), 'body.tag must not have more than 200 characters'],
    [String.raw`{"id":1,"name":"a\u0000b"}`, 'body.name must not hold U+0000'],
  ];
  const cases = refused.map(([body = '', message = '']) => ({ body, message }));

  test.each(cases)(
    'a body that breaks the contract gets 400, which names each fault and its member: $message',
    async ({ body, message }) => {
      expect(await answerTo(body)).toEqual({ status: 400, body: { error: 40010, message } });
    },
  );

  test('a body that breaks the contract gets 400, which names at most ten faults, and at most 60 characters of a member', async () => {
    const members = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`member${index}`, index]));
    const { body } = await answerTo(JSON.stringify({ ['n'.repeat(500)]: 1, ...members, id: 1, name: 'x' }));
    expect(body.message.split('; ')).toHaveLength(11);
    expect(body.message).toContain(`body.${'n'.repeat(60)}… is not allowed`);
    expect(body.message).toMatch(/; and 16 more$/);
  });
});

describe('bad requests', () => {
  test.each([
    ['a malformed media type', 'json'],
    ['two media types', 'application/json, text/plain'],
    ['another media type of JSON', 'application/vnd.api+json'],
    ['another charset', 'application/json; charset=latin1'],
  ])('a request gets 400 for %s', async (_name, type) => {
    expect(await answerTo(VALID, { 'Content-Type': type })).toMatchObject({ status: 400, body: { error: 40003 } });
  });

  test.each([
    [
      'a missing media type',
      [AUTH, sized()],
      '{"error":40003,"message":"the header Content-Type is missing: send application/json"}',
    ],
    ['a missing body', [AUTH, JSON_TYPE], '{"error":40002,"message":"body is missing: send a JSON object"}'],
  ])('a request gets 400 for %s', async (_name, fields, message) => {
    const { status, body } = await sendRaw(app.url, request('POST /items', 'Connection: close', ...fields) + VALID);
    expect([status, body.slice(0, message.length)]).toEqual([400, message]);
  });
});

describe('large bodies', () => {
  const LENGTH = 200_000_000;
  test.each([
    ['without a token', [HOST, JSON_TYPE], 401],
    ['with another media type', [HOST, AUTH, 'Content-Type: text/plain'], 400],
    ['with too large a Content-Length', [HOST, AUTH, JSON_TYPE], 400],
    ['for an unknown path', [HOST], 404, '/docs/none'],
    ['for a page', [HOST], 301, '/docs'],
    ['for a script', [HOST], 200, '/docs/swagger-ui-init.js'],
  ])('the service does not read a large body of a request %s', async (_name, fields, status, path = '/items') => {
    const piece = Buffer.alloc(65_536, 'x');
    const line = path === '/items' ? 'POST /items' : `GET ${path}`;
    const head = post(...fields, sized(LENGTH)).replace('POST /items', line);
    await inTime(async () => {
      let accepted = 0;
      const answer = await sendRaw(app.url, head, (socket) => {
        const pump = () => {
          while (!socket.destroyed && accepted < LENGTH) {
            accepted += piece.length;
            if (!socket.write(piece)) break;
          }
        };
        socket.on('drain', pump);
        pump();
      });
      expect([answer.status, answer.headers['connection']]).toEqual([status, 'close']);
      expect(answer.ms).toBeLessThan(1000);
      // The buffers of two sockets hold less than this.
      expect(accepted).toBeLessThan(20_000_000);
    });
  });
});

describe('requests outside the contract', () => {
  test('a request outside the contract gets 404, with the path as it was sent, for an unknown path', async () => {
    const { status, headers, body } = await sendRaw(app.url, request('POST /%49tems?x=1', 'Connection: close'));
    expect([status, headers['content-type']]).toEqual([404, 'application/json']);
    expect(JSON.parse(body)).toEqual({ error: 40400, message: 'the path /%49tems does not exist' });
  });

  test('a request outside the contract gets 405 with Allow for another method, without a body for HEAD', async () => {
    const response = await fetch(`${app.url}/items`, { method: 'PUT' });
    expect([response.status, response.headers.get('allow')]).toEqual([405, 'POST']);
    expect(await response.json()).toEqual({ error: 40500, message: 'the method PUT is not allowed here: use POST' });
    const head = await fetch(`${app.url}/items`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([405, '']);
  });
});

test('none of the refused items is stored', async () => {
  expect(await itemsIn(app.store)).toEqual([]);
});

describe('good requests', () => {
  afterAll(async () => {
    await app.store.remove('items', 1n);
  });

  test.each([
    ['Content-Encoding: gzip', gzipSync(VALID), { 'Content-Encoding': 'gzip' }],
    ['Content-Encoding: X-GZIP', gzipSync(VALID), { 'Content-Encoding': 'X-GZIP' }],
    ['Content-Encoding: identity', VALID, { 'Content-Encoding': 'identity' }],
    ['an empty Content-Encoding', VALID, { 'Content-Encoding': '' }],
    ['Content-Encoding: , gzip, identity,', gzipSync(VALID), { 'Content-Encoding': ', gzip, identity,' }],
    ['the charset UTF-8', VALID, { 'Content-Type': 'Application/JSON; Charset="UTF-8"; v=1' }],
    ['white space around the JSON', ` \r\n\t${VALID}\n`, {}],
  ])('the service accepts %s', async (_name, body, headers) => {
    expect(await answerTo(body, headers)).toEqual({ status: 200, body: { name: 'x' } });
  });

  test('the service accepts a name of 1,000 characters', async () => {
    const name = '🌱'.repeat(1000);
    expect(await answerTo(JSON.stringify({ id: 2, name }))).toEqual({ status: 200, body: { name } });
    await app.store.remove('items', 2n);
  });

  test.each([
    ['an empty query', create(VALID, 'Connection: close').replace('/items', '/items?')],
    ['an unknown expectation', create(VALID, 'Connection: close', 'Expect: miracles')],
  ])('the service accepts %s', async (_name, bytes) => {
    const { status, body } = await sendRaw(app.url, bytes);
    expect([status, body]).toEqual([200, '{"name":"x"}']);
  });
});

describe('expectations', () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<{ continued: boolean; status: number | undefined }>((resolve, reject) => {
      const all = { Expect: '100-continue', 'Content-Type': 'application/json', 'Content-Length': VALID.length };
      const asking = httpRequest(`${app.url}/items`, { method: 'POST', headers: { ...all, ...headers } });
      let continued = false;
      asking.on('continue', () => {
        continued = true;
        asking.end(VALID);
      });
      asking.on('response', (response) => {
        response.resume();
        resolve({ continued, status: response.statusCode });
      });
      asking.on('error', reject);
      asking.flushHeaders();
    });

  test('a client that sends Expect: 100-continue gets 100 Continue, and then its answer', async () => {
    const answer = await ask({ Authorization: `Bearer ${app.token}` });
    expect(answer).toEqual({ continued: true, status: 200 });
  });

  test('a client that sends Expect: 100-continue gets a refusal at once, without 100 Continue', async () => {
    expect(await ask({})).toEqual({ continued: false, status: 401 });
    const answer = await ask({ Authorization: `Bearer ${app.token}`, 'Content-Type': 'text/plain' });
    expect(answer).toEqual({ continued: false, status: 400 });
  });

  test('a client that sends Expect: 100-continue gets 100 Continue beside another expectation, but not with HTTP/1.0', async () => {
    const both = create(VALID, 'Connection: close', 'Expect: 100-continue, x');
    expect((await sendRaw(app.url, both)).statuses).toEqual([100, 200]);
    expect((await sendRaw(app.url, both.replace('HTTP/1.1', 'HTTP/1.0'))).statuses).toEqual([200]);
  });
});

test('an operation never sees Content-Type, even if the contract declares it as a parameter', async () => {
  const parameter = '{ name: Content-Type, in: header, schema: { type: string } }';
  const seen: unknown[] = [];
  const other = await startApp({
    yaml: YAML.replace('operationId: createItem\n', `operationId: createItem\n      parameters: [${parameter}]\n`),
    operations: {
      createItem: ({ header }) => {
        seen.push(header);
        return Promise.resolve({ status: 200, body: { name: 'x' } });
      },
    },
  });
  expect((await createItem(other, VALID, { 'Content-Type': 'application/json; v=1' })).status).toBe(200);
  // The validator would keep memory for each value that it sees.
  expect(seen).toEqual([{ 'Content-Type': undefined }]);
});
