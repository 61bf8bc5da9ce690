import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { sendRaw } from '../support/raw.ts';
import { createPlant } from '../support/service.ts';

const app = await startApp();
const { host } = new URL(app.url);
const auth = `Authorization: Bearer ${app.token}`;
const VALID = '{"id":1,"name":"x"}';

async function answerTo(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
  const response = await fetch(`${app.url}/plants`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
  return { status: response.status, body: (await response.json()) as { error: number; message: string } };
}

describe('a body that does not fit the contract gets 400, and each fault named with its member:', () => {
  test.each([
    ['{}', 'body.id is required; body.name is required'],
    ['{"id":"1","colour":"red"}', 'body.name is required; body.colour is not allowed; body.id must be an integer'],
    ['{"id":null,"name":null}', 'body.id must be an integer; body.name must be a string'],
    ['{"id":true,"name":["x"]}', 'body.id must be an integer; body.name must be a string'],
    ['{"id":1,"name":""}', 'body.name must not have fewer than 1 character'],
    ['{"id":1,"name":"x","tag":null}', 'body.tag must be a string'],
    ['{"id":1,"name":"x","__proto__":{"a":1}}', 'body.__proto__ is not allowed'],
    ['[]', 'body must be an object'],
    ['null', 'body must be an object'],
    ['"text"', 'body must be an object'],
    ['{"id":9007199254740992.5,"name":"x"}', 'body.id must be an integer'],
    ['{"id":1e-400,"name":"x"}', 'body.id must be an integer'],
    [
      '{"id":9223372036854775808,"name":"x"}',
      'body.id must be an integer from -9223372036854775808 to 9223372036854775807',
    ],
    [
      '{"id":-9223372036854775809,"name":"x"}',
      'body.id must be an integer from -9223372036854775808 to 9223372036854775807',
    ],
    ['{"id":1e400,"name":"x"}', 'body.id must be an integer from -9223372036854775808 to 9223372036854775807'],
    [JSON.stringify({ id: 1, name: 'x'.repeat(1001) }), 'body.name must not have more than 1000 characters'],
    [JSON.stringify({ id: 1, name: '🌱'.repeat(1001) }), 'body.name must not have more than 1000 characters'],
    [JSON.stringify({ id: 1, name: 'x', tag: 'x'.repeat(201) }), 'body.tag must not have more than 200 characters'],
    [String.raw`{"id":1,"name":"a\u0000b"}`, String.raw`body.name must match pattern "^[^\u0000\uD800-\uDFFF]*$"`],
    [
      String.raw`{"id":1,"name":"x","tag":"\ud800"}`,
      String.raw`body.tag must match pattern "^[^\u0000\uD800-\uDFFF]*$"`,
    ],
  ])('%.60s', async (body, message) => {
    expect(await answerTo(body)).toEqual({ status: 400, body: { error: 40010, message } });
  });

  test('ten of them at most, and no name at any length', async () => {
    const members = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`member${String(index)}`, index]));
    const { body } = await answerTo(JSON.stringify({ ['n'.repeat(500)]: 1, ...members, id: 1, name: 'x' }));
    expect(body.message.split('; ')).toHaveLength(11);
    expect(body.message).toContain(`body.${'n'.repeat(60)}… is not allowed`);
    expect(body.message).toMatch(/; and 16 more$/);
  });
});

describe('a body that cannot be read gets 400:', () => {
  test.each([
    ['text that is not JSON', '{"id":1,', 40008],
    ['a member that repeats', '{"id":1,"name":"x","name":"x"}', 40009],
    ['nesting without end', '['.repeat(30_000), 40008],
    ['bytes that are not UTF-8', Buffer.from('7b226964223a312c226e616d65223a22ff227d', 'hex'), 40007],
    ['UTF-8 of a surrogate', Buffer.from('7b226964223a312c226e616d65223a22eda080227d', 'hex'), 40007],
    ['more than 64 KiB', JSON.stringify({ id: 1, name: 'x', tag: 'x'.repeat(65_536) }), 40005],
    ['nothing', '', 40002],
  ])('%s', async (_name, body, error) => {
    const answer = await answerTo(body);
    expect({ ...answer, body: answer.body.error }).toEqual({ status: 400, body: error });
  });

  test('a body of exactly 64 KiB is read', async () => {
    const shell = JSON.stringify({ id: 1, colour: '' });
    const body = JSON.stringify({ id: 1, colour: 'x'.repeat(65_536 - shell.length) });
    expect((await answerTo(body)).body.error).toBe(40010);
    expect((await answerTo(`${body} `)).body.error).toBe(40005);
  });

  test.each([
    ['another media type', { 'Content-Type': 'text/plain' }, 40003],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, 40003],
    ['a media type that is none', { 'Content-Type': 'json' }, 40003],
    ['two media types', { 'Content-Type': 'application/json, text/plain' }, 40003],
    ['another JSON', { 'Content-Type': 'application/vnd.api+json' }, 40003],
    ['another charset', { 'Content-Type': 'application/json; charset=latin1' }, 40003],
    ['a content encoding that is not supported', { 'Content-Encoding': 'br' }, 40004],
    ['two content encodings', { 'Content-Encoding': 'gzip, gzip' }, 40004],
    ['gzip that is none', { 'Content-Encoding': 'gzip' }, 40006],
  ])('%s', async (_name, headers, error) => {
    const answer = await answerTo(VALID, headers as Record<string, string>);
    expect({ ...answer, body: answer.body.error }).toEqual({ status: 400, body: error });
  });

  test('gzip that is cut off, or larger than 64 KiB inside', async () => {
    const gzip = { 'Content-Encoding': 'gzip' };
    expect((await answerTo(gzipSync(VALID).subarray(0, -4), gzip)).body.error).toBe(40006);
    const bomb = gzipSync(`{"id":1,"name":"x"${' '.repeat(50_000_000)}}`, { level: 9 });
    expect(bomb.length).toBeLessThan(65_536);
    expect((await answerTo(bomb, gzip)).body.error).toBe(40005);
  });

  test('a missing media type', async () => {
    const request = `POST /plants HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nConnection: close\r\nContent-Length: ${String(VALID.length)}\r\n\r\n${VALID}`;
    const { status, body } = await sendRaw(app.url, request);
    expect([status, body]).toEqual([
      400,
      '{"error":40003,"message":"the header Content-Type is missing: send application/json"}',
    ]);
  });

  test('no body at all', async () => {
    const request = `POST /plants HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n`;
    const { status, body } = await sendRaw(app.url, request);
    expect([status, body]).toEqual([400, '{"error":40002,"message":"body is missing: send a JSON object"}']);
  });
});

describe('a query that the contract does not have gets 400:', () => {
  test.each(['?dry=1', '?id=1', '?a[b]=1', '?=1', '?__proto__=1'])('%s', async (query) => {
    const response = await fetch(`${app.url}/plants${query}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' },
      body: VALID,
    });
    const body = (await response.json()) as { error: number; message: string };
    expect([response.status, body.error]).toEqual([400, 40010]);
    expect(body.message).toMatch(/^query/);
  });
});

describe('a path or a method that the contract does not have', () => {
  test.each([
    '/',
    '/plants/',
    '/PLANTS',
    '/plants/1',
    '//plants',
    '/plants%2F',
    '/%70lants',
    '/plants;a=b',
    '/../plants/',
    '/docs/none.js',
  ])('gets 404: %s', async (path) => {
    const { status, headers, body } = await sendRaw(
      app.url,
      `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`,
    );
    expect(status).toBe(404);
    expect(headers['content-type']).toBe('application/json');
    expect(JSON.parse(body)).toEqual({ error: 40400, message: `there is no ${path} here` });
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('gets 405 with Allow: %s', async (method) => {
    const response = await fetch(`${app.url}/plants`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toEqual({ error: 40500, message: `${method} is not allowed here, but POST` });
  });

  test('gets 405 also for HEAD, without a body', async () => {
    const response = await fetch(`${app.url}/plants`, { method: 'HEAD' });
    expect([response.status, await response.text()]).toEqual([405, '']);
  });

  test('gets 404 also if the path cannot be decoded', async () => {
    const { status } = await sendRaw(app.url, `POST /%ff HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`);
    expect(status).toBe(404);
  });
});

test('nothing that was refused is stored', async () => {
  expect(await app.plants()).toEqual([]);
});

describe('a request that is taken although it is unusual:', () => {
  const accepted = async (id: number, body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) => {
    expect(await answerTo(body, headers)).toEqual({ status: 200, body: { name: 'x' } });
    expect(await app.store.plants.remove(BigInt(id))).toBe(true);
  };

  test('gzip', () => accepted(1, gzipSync(VALID), { 'Content-Encoding': 'gzip' }));
  test('x-gzip, in capitals', () => accepted(1, gzipSync(VALID), { 'Content-Encoding': 'X-GZIP' }));
  test('identity', () => accepted(1, VALID, { 'Content-Encoding': 'identity' }));
  test('a charset', () => accepted(1, VALID, { 'Content-Type': 'Application/JSON; Charset="UTF-8"; v=1' }));
  test('white space', () => accepted(1, ` \r\n\t${VALID}\n`));
  test('a name at its limit', async () => {
    const name = '🌱'.repeat(1000);
    const response = await createPlant(app, JSON.stringify({ id: 1, name }));
    expect(await response.json()).toEqual({ name });
    await app.store.plants.remove(1n);
  });

  test('a question mark without a query', async () => {
    const response = await fetch(`${app.url}/plants?`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${app.token}`, 'Content-Type': 'application/json' },
      body: VALID,
    });
    expect(response.status).toBe(200);
    await app.store.plants.remove(1n);
  });

  test('chunks, one byte each', async () => {
    const chunks = Array.from(VALID, (character) => `1\r\n${character}\r\n`);
    const head = `POST /plants HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
    const { status, body } = await sendRaw(app.url, head, ...chunks, '0\r\n\r\n');
    expect([status, body]).toEqual([200, '{"name":"x"}']);
    await app.store.plants.remove(1n);
  });
});
