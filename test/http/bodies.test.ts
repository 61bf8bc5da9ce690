import { request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { byHand, JSON_TYPE, sendRaw, VALID } from '../support/raw.ts';

const app = await startApp();
const { hostname, port } = new URL(app.url);
const { HOST, AUTH, post } = byHand(app);

describe('a body that nobody will read', () => {
  const LENGTH = 200_000_000;
  test.each([
    ['without a token', [HOST, JSON_TYPE], 401],
    ['of another media type', [HOST, AUTH, 'Content-Type: text/plain'], 400],
    ['that says it is too large', [HOST, AUTH, JSON_TYPE], 400],
    ['for another path', [HOST], 404, '/docs/none'],
    ['for a page', [HOST], 301, '/docs'],
    ['for a script', [HOST], 200, '/docs/swagger-ui-init.js'],
  ])('is not swallowed: one %s', async (_name, fields, status, path = '/plants') => {
    const socket = connect(Number(port), hostname);
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.on('error', () => undefined);
    const method = path === '/plants' ? 'POST' : 'GET';
    socket.write(`${method} ${path} HTTP/1.1\r\n${[...fields, `Content-Length: ${LENGTH}`].join('\r\n')}\r\n\r\n`);
    const start = performance.now();
    const closed = new Promise((resolve) => socket.once('close', resolve));
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
    expect(text).toContain(`HTTP/1.1 ${status} `);
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

  test('is told so also where it expects something else too; with HTTP/1.0 it is not', async () => {
    const head = [HOST, AUTH, JSON_TYPE, 'Connection: close', `Content-Length: ${VALID.length}`].join('\r\n');
    const both = await sendRaw(app.url, `POST /plants HTTP/1.1\r\nExpect: 100-continue, x\r\n${head}\r\n\r\n`, VALID);
    expect(both.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
    const old = await sendRaw(app.url, `POST /plants HTTP/1.0\r\nExpect: 100-continue\r\n${head}\r\n\r\n`, VALID);
    expect(old.text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200']);
    await app.store.plants.remove(1n);
  });

  test('may expect something else, which is ignored', async () => {
    const bytes = post(
      HOST,
      AUTH,
      JSON_TYPE,
      'Expect: miracles',
      `Content-Length: ${VALID.length}`,
      'Connection: close',
    );
    expect((await sendRaw(app.url, bytes, VALID)).status).toBe(200);
    await app.store.plants.remove(1n);
  });
});
