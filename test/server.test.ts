import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { startApp } from './support/app.ts';
import { sendRaw } from './support/raw.ts';

const app = await startApp();
const { host, hostname, port } = new URL(app.url);
const VALID = '{"id":1,"name":"x"}';
const post = (...fields: readonly string[]) => `POST /plants HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n`;
const HOST = `Host: ${host}`;
const AUTH = `Authorization: Bearer ${app.token}`;
const JSON_TYPE = 'Content-Type: application/json';

describe('what Node cannot read as a request gets an Error too:', () => {
  test.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400, 40001],
    ['an unknown method', 'FETCH /plants HTTP/1.1\r\n\r\n', 400, 40001],
    ['HTTP/2 without an upgrade', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 400, 40001],
    ['a header that is none', post(HOST, 'no colon'), 400, 40001],
    ['a space before the colon', post(HOST, 'Content-Length : 3'), 400, 40001],
    ['two lengths', post(HOST, AUTH, JSON_TYPE, 'Content-Length: 3', 'Content-Length: 4'), 400, 40001],
    ['a length and chunks', post(HOST, AUTH, JSON_TYPE, 'Content-Length: 3', 'Transfer-Encoding: chunked'), 400, 40001],
    ['a length that is none', post(HOST, AUTH, JSON_TYPE, 'Content-Length: -1'), 400, 40001],
    ['a chunk that is none', `${post(HOST, AUTH, JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n`, 400, 40001],
    ['CONNECT', `CONNECT ${host} HTTP/1.1\r\n${HOST}\r\n\r\n`, 400, 40001],
    ['no host', post('Connection: close'), 400, 40001],
    ['two hosts', post(HOST, HOST, 'Connection: close'), 400, 40001],
    ['headers beyond 16 KiB', post(HOST, `X-Large: ${'x'.repeat(20_000)}`), 431, 43100],
    ['a flood of headers', post(HOST, ...Array.from({ length: 20_000 }, () => 'a: b')), 431, 43100],
  ])('%s', async (_name, bytes, status, error) => {
    const answer = await sendRaw(app.url, bytes);
    expect(answer.status).toBe(status);
    expect(answer.headers['content-type']).toBe('application/json');
    expect(answer.headers['connection']).toBe('close');
    const body = JSON.parse(answer.body) as { error: number; message: string };
    expect(body).toEqual({ error, message: expect.any(String) });
  });

  test('after the requests before it were answered', async () => {
    const whole = `${post(HOST, AUTH, JSON_TYPE, `Content-Length: ${String(VALID.length)}`)}${VALID}`;
    const { text } = await sendRaw(app.url, `${whole}NONSENSE\r\n\r\n`);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400']);
    expect(await app.store.plants.remove(1n)).toBe(true);
  });

  test('but not in the middle of an answer that was given already', async () => {
    const { text } = await sendRaw(app.url, post(HOST, JSON_TYPE, 'Transfer-Encoding: chunked'), 'zz\r\n');
    expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
  });
});

test('a request that does not arrive in time gets 408', async () => {
  const answer = await sendRaw(app.url, 'POST /plants HTTP/1.1\r\nHost: x\r\n');
  expect([answer.status, answer.headers['connection']]).toEqual([408, 'close']);
  expect(JSON.parse(answer.body)).toEqual({ error: 40800, message: 'the request took too long to arrive' });
  expect(answer.ms).toBeLessThan(15_000);
});

describe('a body that nobody will read', () => {
  const LENGTH = 200_000_000;
  test.each([
    ['without a token', [HOST, JSON_TYPE], 401],
    ['of another media type', [HOST, AUTH, 'Content-Type: text/plain'], 400],
    ['that says it is too large', [HOST, AUTH, JSON_TYPE], 400],
  ])('is not swallowed: one %s', async (_name, fields, status) => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    socket.write(post(...fields, `Content-Length: ${String(LENGTH)}`));
    const start = performance.now();
    const closed = once(socket, 'close');
    let accepted = 0;
    const piece = Buffer.alloc(65_536, 'x');
    const pump = () => {
      while (!socket.destroyed && accepted < LENGTH) {
        accepted += piece.length;
        if (!socket.write(piece)) break;
      }
    };
    socket.on('drain', pump);
    pump();
    await closed;
    expect(performance.now() - start).toBeLessThan(1000);
    expect(text).toContain(`HTTP/1.1 ${String(status)} `);
    expect(text).toContain('Connection: close');
    // What the buffers of two sockets hold, and no more.
    expect(accepted).toBeLessThan(20_000_000);
  });

  test('that grows too large on the way gets its answer, and the connection ends', async () => {
    const chunk = `10000\r\n${'x'.repeat(65_536)}\r\n`;
    const answer = await sendRaw(app.url, post(HOST, AUTH, JSON_TYPE, 'Transfer-Encoding: chunked'), chunk, chunk);
    expect(answer.status).toBe(400);
    expect(JSON.parse(answer.body)).toEqual({ error: 40005, message: 'body is larger than 65536 bytes' });
    expect(answer.headers['connection']).toBe('close');
    expect(answer.ms).toBeLessThan(1000);
  });
});

describe('a client that asks before it sends (Expect: 100-continue)', () => {
  const ask = (headers: Record<string, string>) =>
    new Promise<{ continued: boolean; status: number | undefined }>((resolve, reject) => {
      const request = httpRequest(`${app.url}/plants`, {
        method: 'POST',
        headers: {
          Expect: '100-continue',
          'Content-Type': 'application/json',
          'Content-Length': VALID.length,
          ...headers,
        },
      });
      let continued = false;
      request.on('continue', () => {
        continued = true;
        request.end(VALID);
      });
      request.on('response', (response) => {
        response.resume();
        resolve({ continued, status: response.statusCode });
      });
      request.on('error', reject);
      request.flushHeaders();
    });

  test('is told to send what is wanted', async () => {
    const answer = await ask({ Authorization: `Bearer ${app.token}` });
    expect(answer).toEqual({ continued: true, status: 200 });
    await app.store.plants.remove(1n);
  });

  test('is answered at once where it is not', async () => {
    expect(await ask({})).toEqual({ continued: false, status: 401 });
    const answer = await ask({ Authorization: `Bearer ${app.token}`, 'Content-Type': 'text/plain' });
    expect(answer).toEqual({ continued: false, status: 400 });
  });

  test('may expect something else, which is ignored', async () => {
    const bytes = post(
      HOST,
      AUTH,
      JSON_TYPE,
      'Expect: miracles',
      `Content-Length: ${String(VALID.length)}`,
      'Connection: close',
    );
    expect((await sendRaw(app.url, bytes, VALID)).status).toBe(200);
    await app.store.plants.remove(1n);
  });
});

test('a client that goes away in the middle of a body leaves one line in the log, and no alarm', async () => {
  const socket = connect(Number(port), hostname);
  socket.write(post(HOST, AUTH, JSON_TYPE, 'X-Request-Id: gone', 'Content-Length: 100') + VALID);
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  const found = () => app.log.filter(({ requestId }) => requestId === 'gone');
  while (found().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(found()).toEqual([expect.objectContaining({ level: 30, aborted: true, operation: 'createPlant' })]);
  expect(await app.plants()).toEqual([]);
});

describe('the id of a request', () => {
  const answered = async (id: string) => {
    const response = await fetch(`${app.url}/plants`, { headers: { 'X-Request-Id': id } });
    await response.text();
    return response.headers.get('x-request-id');
  };

  test('is taken over if it is sane', async () => {
    expect(await answered('trace-1/2.3:4~5_6+7=')).toBe('trace-1/2.3:4~5_6+7=');
  });

  test.each(['', 'a b', 'x'.repeat(129), '{"a":1}', 'é'])('is made anew if it is %j', async (id) => {
    expect(await answered(id)).toMatch(/^[0-9a-f-]{36}$/);
  });
});

test('a log line has the path, but not the query', async () => {
  await (await fetch(`${app.url}/none?token=secret`, { headers: { 'X-Request-Id': 'query' } })).text();
  const line = () => app.log.find(({ requestId }) => requestId === 'query');
  while (line() === undefined) await new Promise((resolve) => setTimeout(resolve, 5));
  expect(line()).toMatchObject({ method: 'GET', path: '/none', status: 404, error: 40400 });
  expect(JSON.stringify(app.log)).not.toContain('secret');
});
