import { once } from 'node:events';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { DEADLINE, MAX } from '../../../src/http/bounds.ts';
import type { Handler } from '../../../src/service.ts';
import { slowClock } from '../../support/in-time.ts';
import { startApp } from '../../support/app.ts';
import { sendRaw } from '../../support/raw.ts';
import { until } from '../../support/until.ts';

const ORIGIN = 'https://app.example';
const TEXT = '{ schema: { type: string } }';
const YAML = `
openapi: 3.1.0
info: { title: Sent, version: 1.0.0 }
paths:
  /header/{name}:
    parameters:
      - { name: name, in: path, required: true, schema: { type: string } }
      - { name: value, in: query, required: true, schema: { type: string } }
    get:
      operationId: readHeader
      responses:
        '200':
          description: a header
          headers: { X-Text: ${TEXT}, Vary: ${TEXT} }
          content: { application/json: { schema: { type: string } } }
        default: { $ref: '#/components/responses/Failure' }
    delete:
      operationId: removeHeader
      responses:
        '204': { description: a header, headers: { X-Text: ${TEXT}, Vary: ${TEXT} } }
        default: { $ref: '#/components/responses/Failure' }
  /large:
    parameters:
      - { name: bytes, in: query, required: true, schema: { type: integer } }
    get:
      operationId: readLarge
      responses:
        '200': { description: large, content: { application/json: { schema: { type: string } } } }
        default: { $ref: '#/components/responses/Failure' }
  /any:
    get:
      operationId: readAny
      responses:
        '200': { description: any, content: { application/json: { schema: {} } } }
        default: { $ref: '#/components/responses/Failure' }
components:
  responses: { Failure: { description: it has failed, content: { application/json: { schema: { type: object } } } } }
`;
const header: Handler = ({ path, query }) =>
  Promise.resolve({ status: 200, headers: { [String(path['name'])]: String(query['value']) }, body: 'größe 日本' });
let any: unknown;
const app = await startApp({
  yaml: YAML,
  corsOrigins: [ORIGIN],
  operations: {
    readHeader: header,
    removeHeader: async (...given) => ({ ...(await header(...given)), status: 204, body: undefined }),
    readAny: () => Promise.resolve({ status: 200, body: any }),
    readLarge: ({ query }) => Promise.resolve({ status: 200, body: 'x'.repeat(Number(query['bytes']) - 2) }),
  },
});

afterEach(() => {
  jest.restoreAllMocks();
});

const ask = (method: string, target: string, fields = '') =>
  sendRaw(app.url, `${method} ${target} HTTP/1.1\r\nHost: x\r\n${fields}Connection: close\r\n\r\n`);

describe('header fields', () => {
  test.each(['GET', 'HEAD', 'DELETE'])(
    'a header field of an operation goes out as UTF-8 in the reply to %s',
    async (method) => {
      for (const text of ['Grüße', '日本', '🌱', 'plain']) {
        const answer = await ask(method, `/header/X-Text?value=${encodeURIComponent(text)}`);
        expect([answer.status, answer.headers['x-text']]).toEqual([method === 'DELETE' ? 204 : 200, text]);
        expect(answer.body).toBe(method === 'GET' ? '"größe 日本"' : '');
      }
    },
  );

  test.each(['GET', 'HEAD', 'DELETE'])(
    'a header field of an operation goes out beside the Vary of the service in the reply to %s',
    async (method) => {
      const vary = async (origin: string) => (await ask(method, '/header/Vary?value=Accept-Language', origin)).headers;
      expect((await vary(`Origin: ${ORIGIN}\r\n`))['vary']).toBe('Origin, Accept-Language');
      expect((await vary(''))['vary']).toBe('Origin, Accept-Language');
    },
  );

  test.each(['a\nb', 'a\u0000'])(
    'a header field of an operation never goes out with the control character in %j: the client gets 500',
    async (text) => {
      expect((await ask('GET', `/header/X-Text?value=${encodeURIComponent(text)}`)).status).toBe(500);
    },
  );
});

describe('replies', () => {
  const lines = () => app.log.filter(({ msg }) => msg === 'connection cut off');
  const read = async (bytes: number) => {
    for (;;) {
      const response = await fetch(`${app.url}/large?bytes=${bytes}`);
      const { length } = await response.text();
      if (response.status !== 503) return [response.status, length];
      expect(response.headers.get('retry-after')).toBe('1');
      // Each try makes another large reply, which slows down the clients that are reading.
      await sleep(200);
    }
  };

  test('a reply of more than 16 MiB becomes a 500, and the log says why', async () => {
    const response = await fetch(`${app.url}/large?bytes=${MAX.reply + 1}`);
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ error: 50000 })]);
    const { err } = (await app.lineOf(response)) as { readonly err?: { readonly message: string } };
    expect(err?.message).toBe('a reply may have 16777216 bytes, and this one has more: send pages');
  });

  test.each([
    ['NaN', { list: [NaN] }, 'JSON has no NaN'],
    ['Infinity', -Infinity, 'JSON has no -Infinity'],
    ['a lone surrogate', { text: 'lone \\ \ud800' }, 'a text has a lone surrogate, which UTF-8 cannot express'],
  ])('a reply that has %s where no schema types it is refused, and the log says why', async (_what, body, why) => {
    any = body;
    const response = await fetch(`${app.url}/any`);
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ error: 50000 })]);
    expect(await app.lineOf(response)).toMatchObject({ err: { message: why } });
  });

  test('a reply keeps what only looks like a lone surrogate', async () => {
    any = '\\ud800 🌱';
    expect(await (await fetch(`${app.url}/any`)).json()).toBe(any);
  });

  test('a reply reaches each of many clients that read, whole or as a 503, and none is cut off', async () => {
    const sizes = [MAX.reply, ...Array.from({ length: 3 }, () => MAX.reply / 2)];
    // A client has 5 s to read a reply whose room others need: a slow clock gives a busy machine more time.
    slowClock();
    const before = lines().length;
    expect(await Promise.all(sizes.map(read))).toEqual(sizes.map((bytes) => [200, bytes]));
    expect(lines().slice(before)).toEqual([]);
  });

  test('a reply gets the room of replies that other clients do not read', async () => {
    const before = lines().length;
    const sockets = await Promise.all(
      [1, 2].map(async () => {
        const socket = connect(Number(new URL(app.url).port), '127.0.0.1').on('error', () => undefined);
        await once(socket, 'connect');
        socket.pause().write(`GET /large?bytes=${MAX.reply} HTTP/1.1\r\nHost: x\r\n\r\n`);
        return socket;
      }),
    );
    await until(async () => (await fetch(`${app.url}/large?bytes=${MAX.reply}`)).status === 503);
    const now = performance.now.bind(performance);
    jest.spyOn(performance, 'now').mockImplementation(() => now() + DEADLINE.room);
    expect(await read(MAX.reply)).toEqual([200, MAX.reply]);
    await until(() => lines().length > before);
    expect(lines().at(-1)).toMatchObject({ phase: 'replying' });
    for (const socket of sockets) socket.destroy();
  });
});
