import { gzipSync } from 'node:zlib';
import { describe, expect, test } from '@jest/globals';
import { startApp, YAML } from '../support/app.ts';
import { post } from '../support/post.ts';
import { sendRaw } from '../support/raw.ts';
import { createPlant } from '../support/service.ts';

const app = await startApp();
const { host } = new URL(app.url);
const auth = `Authorization: Bearer ${app.token}`;
const VALID = '{"id":1,"name":"x"}';

const answerTo = (body: string | Uint8Array<ArrayBuffer>, headers?: Record<string, string>) => post(app, body, headers);

test('a content type is shown to nobody, also where the contract has it as a parameter', async () => {
  const parameter = '{ name: Content-Type, in: header, schema: { type: string } }';
  const seen: unknown[] = [];
  const other = await startApp({
    yaml: YAML.replace('operationId: createPlant\n', `operationId: createPlant\n      parameters: [${parameter}]\n`),
    operations: {
      createPlant: ({ header }) => {
        seen.push(header);
        return Promise.resolve({ status: 200, body: { name: 'x' } });
      },
    },
  });
  const type = { 'Content-Type': 'application/json; v=1' };
  expect((await post(other, VALID, type)).status).toBe(200);
  // The validator keeps memory for each that it meets.
  expect(seen).toEqual([{ 'Content-Type': undefined }]);
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
    '/none/1',
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
    expect(JSON.parse(body)).toEqual({ error: 40400, message: `the path ${path} does not exist` });
  });

  test.each(['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND'])('gets 405 with Allow: %s', async (method) => {
    const response = await fetch(`${app.url}/plants`, { method });
    expect(response.status).toBe(405);
    expect(response.headers.get('allow')).toBe('POST');
    expect(await response.json()).toEqual({ error: 40500, message: `${method} is not allowed here; allowed: POST` });
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
