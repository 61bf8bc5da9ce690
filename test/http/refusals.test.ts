import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { post } from '../support/post.ts';
import { sendRaw } from '../support/raw.ts';

const app = await startApp();
const { host } = new URL(app.url);
const auth = `Authorization: Bearer ${app.token}`;
const VALID = '{"id":1,"name":"x"}';

const answerTo = (body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) => post(app, body, headers);

describe('a body that does not fit the contract gets 400, and each fault named with its member:', () => {
  test.each([
    ['{}', 'body.id is required; body.name is required'],
    ['{"id":"1","colour":"red"}', 'body.name is required; body.colour is not allowed; body.id must be an integer'],
    ['{"id":null,"name":null}', 'body.id must be an integer; body.name must be a string'],
    ['{"id":true,"name":["x"]}', 'body.id must be an integer; body.name must be a string'],
    ['{"id":1,"name":""}', 'body.name must not be empty'],
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
    [String.raw`{"id":1,"name":"a\u0000b"}`, 'body.name must not hold U+0000 or a lone surrogate'],
    [String.raw`{"id":1,"name":"x","tag":"\ud800"}`, 'body.tag must not hold U+0000 or a lone surrogate'],
  ])('%.60s', async (body, message) => {
    expect(await answerTo(body)).toEqual({ status: 400, body: { error: 40010, message } });
  });

  test('ten of them at most, and no name at any length', async () => {
    const members = Object.fromEntries(Array.from({ length: 25 }, (_, index) => [`member${index}`, index]));
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
    const answer = await answerTo(VALID, headers);
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
    const request = `POST /plants HTTP/1.1\r\nHost: ${host}\r\n${auth}\r\nConnection: close\r\nContent-Length: ${VALID.length}\r\n\r\n${VALID}`;
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

test('nothing that was refused is stored', async () => {
  expect(await app.plants()).toEqual([]);
});
