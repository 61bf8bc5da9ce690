import { createConnection, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startOn, type TestInstance } from '../../../testing/instance.ts';
import { until } from '../../support/until.ts';
import type { Request } from 'trellis';
import type { operations } from '../../services/papers/generated/openapi.ts';
import { service } from '../../services/papers/index.ts';

const MIB = 1024 * 1024;
const PDF = Buffer.from('%PDF-1.7\n\u0000ÿþ', 'latin1');
const GZIP = { 'Content-Encoding': 'gzip' };
let next = 10;
const newId = () => `3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e${next++}`;

describe('bodies that are texts or bytes:', () => {
  let instance: TestInstance;
  let token: string;
  beforeAll(async () => {
    instance = await startOn('SQLite', service, { LOG_LEVEL: 'fatal' });
    token = await instance.token();
  });
  afterAll(() => instance.stop());

  async function send(method: string, path: string, type?: string, body?: string | Buffer, more: object = {}) {
    const headers = { Authorization: `Bearer ${token}`, ...(type !== undefined && { 'Content-Type': type }), ...more };
    const sent = typeof body === 'object' ? new Uint8Array(body) : (body ?? null);
    const reply = await fetch(instance.url + path, { method, headers, body: sent });
    const got = Buffer.from(await reply.arrayBuffer());
    const isJson = reply.headers.get('content-type') === 'application/json';
    const { error, message = '' }: { error?: number; message?: string } = isJson
      ? (JSON.parse(got.toString()) as object)
      : {};
    return {
      ...{ status: reply.status, type: reply.headers.get('content-type') },
      ...{ headers: reply.headers, body: got, error, message },
    };
  }

  test('gives bytes back as they were sent, with a tag, to HEAD and GET', async () => {
    const path = `/papers/${newId()}`;
    expect((await send('PUT', path, 'application/pdf', PDF)).body.toString()).toContain(
      '"mediaType":"application/pdf"',
    );
    const got = await send('GET', path);
    expect([got.status, got.type, got.body]).toEqual([200, 'application/pdf', PDF]);
    const ETag = got.headers.get('etag') ?? '';
    const known = await send('GET', path, undefined, undefined, { 'If-None-Match': ETag });
    expect([known.status, known.type, known.body.length]).toEqual([304, null, 0]);
    const head = await send('HEAD', path);
    expect([head.status, head.headers.get('content-length'), head.body.length]).toEqual([200, String(PDF.length), 0]);
  });

  test.each([
    ['of another media type', 'application/zip', PDF, 40003],
    ['without one', undefined, PDF, 40003],
    ['of JSON', 'application/json', '{}', 40003],
    ['with too few bytes', 'application/pdf', 'abcd', 40010],
    ['with too many bytes', 'application/pdf', Buffer.alloc(1_000_001), 40010],
    ['beyond the limit', 'image/png', Buffer.alloc(MIB + 1), 40005],
    ['of no bytes', 'image/png', undefined, 40002],
  ])('refuses bytes %s, by a number of its own', async (_, type, body, number) => {
    const { status, error } = await send('PUT', `/papers/${newId()}`, type, body);
    expect([status, error]).toEqual([400, number]);
  });

  test('takes 16 MiB of bytes, compressed or not, and not one more', async () => {
    const path = `/scans/${newId()}`;
    const most = Buffer.alloc(16 * MIB, 'scan');
    expect((await send('PUT', path, 'application/octet-stream', most)).status).toBe(200);
    const got = await send('GET', path);
    expect(got.body.equals(most)).toBe(true);
    const inflated = await send('PUT', `/scans/${newId()}`, 'application/octet-stream', gzipSync(most), GZIP);
    expect(inflated.body.toString()).toContain(`"size":${most.length}`);
    const bomb = gzipSync(Buffer.alloc(16 * MIB + 1));
    expect((await send('PUT', path, 'application/octet-stream', bomb, GZIP)).error).toBe(40005);
    expect((await send('PUT', path, 'application/octet-stream', Buffer.from('none'), GZIP)).error).toBe(40006);
    expect((await send('PUT', path, 'application/octet-stream', Buffer.alloc(16 * MIB + 1))).error).toBe(40005);
  });

  test('keeps no more memory than the bytes have', async () => {
    const sent = gzipSync('small');
    let kept = 0;
    await using own = await startOn('SQLite', {
      ...service,
      operations: {
        ...service.operations,
        putScan: ({ path, body = new Uint8Array() }: Request<operations, 'putScan'>) => {
          kept = body.buffer.byteLength;
          return Promise.resolve({ status: 200, body: { ...path, size: body.length, mediaType: 'image/png' } });
        },
      },
    });
    for (const [body, headers] of [
      [sent, GZIP],
      [Buffer.from('small'), {}],
    ] as const) {
      const { status } = await fetch(`${own.url}/scans/${newId()}`, {
        method: 'PUT',
        headers: {
          Authorization: `Bearer ${await own.token()}`,
          'Content-Type': 'application/octet-stream',
          ...headers,
        },
        body: new Uint8Array(body),
      });
      expect([status, kept]).toEqual([200, 5]);
    }
  });

  test('inflates as many bodies of bytes at a time as there are slots for, and refuses others at once', async () => {
    const bomb = gzipSync(Buffer.alloc(16 * MIB + 1));
    const refusals = async () => {
      const sent = Array.from({ length: 12 }, () =>
        send('PUT', `/scans/${newId()}`, 'application/octet-stream', bomb, GZIP),
      );
      return (await Promise.all(sent)).map(({ error }) => error);
    };
    await until(async () => (await refusals()).includes(50300), 20_000);
  });

  test.each([
    ['text/plain', 'Grüße 🌱', 200, 'Grüße 🌱'],
    ['text/plain; charset=UTF-8', 'Grüße 🌱', 200, 'Grüße 🌱'],
    ['text/plain', '{"a":1}', 200, '{"a":1}'],
    ['application/json', JSON.stringify({ id: newId(), text: 'as JSON' }), 200, 'as JSON'],
    ['text/plain', '🌱'.repeat(20), 200, '🌱'.repeat(20)],
    ['text/plain', '🌱'.repeat(21), 400, 40010],
    ['text/plain', 'a\0b', 400, 40010],
    ['text/plain', Buffer.of(0xff), 400, 40007],
    ['text/plain; charset=iso-8859-1', 'x', 400, 40003],
    ['application/json', 'as text', 400, 40008],
  ])('answers a text of %s, %p, with %d', async (type, body, status, expected) => {
    const got = await send('PUT', `/notes/${newId()}`, type, body);
    expect([got.status, status === 200 ? got.body.toString() : got.error]).toEqual([status, expected]);
    if (status === 200) expect(got.type).toBe('text/plain; charset=utf-8');
  });

  test('says that an empty text is no body, and what to send', async () => {
    const { error, message } = await send('PUT', `/notes/${newId()}`, 'text/plain', '');
    expect([error, message]).toEqual([40002, 'body is missing: send application/json or text/plain, not empty']);
  });

  test('sandboxes a reply that a browser may run, also beside a policy of the operation', async () => {
    const id = newId();
    await send('PUT', `/notes/${id}`, 'text/plain', '<script>1</script>');
    const html = await send('GET', `/notes/${id}.html`);
    expect([
      html.type,
      html.headers.get('content-security-policy'),
      html.headers.get('x-content-type-options'),
    ]).toEqual(['text/html; charset=utf-8', "sandbox, script-src 'self'", 'nosniff']);
    const csv = await send('GET', '/notes.csv');
    expect([csv.type, csv.headers.get('content-security-policy')]).toEqual(['text/csv; charset=utf-8', null]);
    expect(csv.body.toString()).toContain(`${id},"<script>1</script>"\r\n`);
  });

  test('counts a reply of bytes as unsent, bounds it, and sends what it was when it was returned', async () => {
    const most = 16 * MIB;
    expect((await send('GET', `/zeros?count=${most}`)).body.length).toBe(most);
    expect((await send('GET', `/zeros?count=${most + 1}`)).error).toBe(50000);
    expect((await send('GET', `/zeros?count=${most + 1}&broken=long`)).error).toBe(50000);
    expect((await send('GET', '/zeros?count=1&broken=string')).error).toBe(50000);
    const { body } = await send('GET', `/zeros?count=${most}&broken=later`);
    expect(body.equals(Buffer.alloc(most))).toBe(true);
    const deaf: Socket[] = [];
    // Again and again: on a busy machine the service cuts off those that never read before all of them have a reply.
    await until(async () => {
      for (let count = 0; count < 8; count++) {
        const socket = createConnection(Number(new URL(instance.url).port), '127.0.0.1');
        deaf.push(socket.on('error', () => undefined).pause());
        const target = 'GET /zeros?count=8000000&broken=long';
        socket.write(`${target} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${token}\r\n\r\n`);
      }
      return (await send('GET', '/zeros?count=8000000')).error === 50300;
    });
    expect((await send('GET', '/zeros?count=1000')).status).toBe(200);
    for (const socket of deaf) socket.destroy();
  });
});
