import { connect } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { byHand, JSON_TYPE, sendRaw, VALID } from '../support/raw.ts';

const app = await startApp();
const { host, hostname, port } = new URL(app.url);
const { HOST, AUTH, post } = byHand(app);

describe('what is not a request of HTTP/1 gets an Error too:', () => {
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
    ['a host that is none', post('Host: a/b@c', 'Connection: close'), 400, 40001],
    ['HTTP/0.9', post(HOST).replace(' HTTP/1.1', ''), 400, 40001],
    ['HTTP/2.0', post(HOST).replace('1.1', '2.0'), 400, 40001],
    [
      'chunks in HTTP/1.0',
      post(HOST, 'Connection: keep-alive', 'Transfer-Encoding: chunked').replace('1.1', '1.0'),
      400,
      40001,
    ],
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

  test.each([
    ['nonsense', 'NONSENSE\r\n\r\n', []],
    ['nonsense, after an expectation', 'NONSENSE\r\n\r\n', ['Expect: miracles']],
    ['CONNECT', `CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n\r\n`, []],
    ['a broken body', `${post(HOST, AUTH, JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n`, []],
  ])('after the requests before it were answered: %s', async (_name, bytes, fields) => {
    const create = (id: number) => {
      const body = `{"id":${id},"name":"x"}`;
      return `${post(HOST, AUTH, JSON_TYPE, ...fields, `Content-Length: ${body.length}`)}${body}`;
    };
    const { text } = await sendRaw(app.url, create(1) + create(2) + bytes);
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 400']);
    expect([await app.store.plants.remove(1n), await app.store.plants.remove(2n)]).toEqual([true, true]);
  });

  test('but not in the middle of an answer that was given already', async () => {
    const { text } = await sendRaw(app.url, post(HOST, JSON_TYPE, 'Transfer-Encoding: chunked'), 'zz\r\n');
    expect(text.match(/HTTP\/1\.1 \d+/g)).toHaveLength(1);
  });
});

test('200 header fields are all read, and one more is refused', async () => {
  const last = [AUTH, JSON_TYPE, 'Connection: close', `Content-Length: ${VALID.length}`];
  const send = (count: number) => {
    const fields = Array.from({ length: count - last.length - 1 }, () => 'a: b');
    return sendRaw(app.url, post(HOST, ...fields, ...last), VALID);
  };
  const answer = await send(201);
  expect(JSON.parse(answer.body)).toEqual({
    error: 43100,
    message: 'the header fields are more than 200, or larger than 16 KiB',
  });
  expect([answer.status, answer.headers['connection']]).toEqual([431, 'close']);
  expect(await app.plants()).toEqual([]);
  expect((await send(200)).status).toBe(200);
  await app.store.plants.remove(1n);
});

describe('a request target without a path of ours gets 404, and a line in the log:', () => {
  test.each([
    '*',
    'x://host',
    'http://[',
    'http://a:b/',
    'http://?',
    'http://host',
    '/plants#a?b=1',
    'http://host/plants#a',
  ])('%s', async (target) => {
    const id = `target-${Buffer.from(target).toString('hex')}`;
    const answer = await sendRaw(
      app.url,
      `OPTIONS ${target} HTTP/1.1\r\n${HOST}\r\nX-Request-Id: ${id}\r\nConnection: close\r\n\r\n`,
    );
    expect([answer.status, answer.headers['content-type']]).toEqual([404, 'application/json']);
    const shown = target.split('?', 1)[0] ?? '';
    expect(JSON.parse(answer.body)).toEqual({ error: 40400, message: `the path ${shown} does not exist` });
    expect(app.log.some(({ requestId }) => requestId === id)).toBe(true);
  });

  test('but one in the form for proxies reaches the operation', async () => {
    const line = `POST http://any.example/plants HTTP/1.1\r\n`;
    const head = [HOST, AUTH, JSON_TYPE, 'Connection: close', `Content-Length: ${VALID.length}`].join('\r\n');
    expect((await sendRaw(app.url, `${line}${head}\r\n\r\n${VALID}`)).status).toBe(200);
    await app.store.plants.remove(1n);
  });
});

test('an unknown parameter is refused, however many empty ones come before it', async () => {
  const head = [HOST, AUTH, JSON_TYPE, 'Connection: close', `Content-Length: ${VALID.length}`].join('\r\n');
  const answer = await sendRaw(app.url, `POST /plants?${'&'.repeat(1005)}b=1 HTTP/1.1\r\n${head}\r\n\r\n${VALID}`);
  expect([answer.status, answer.body]).toEqual([400, '{"error":40010,"message":"query.b is not allowed"}']);
});

describe('what does not arrive in time gets 408, and is not done after all:', () => {
  // The ends of both, which then come too late, have a create behind them.
  const late = (id: number) => `{"id":${id},"name":"x"}`;
  const createOf = (id: number) => post(HOST, AUTH, JSON_TYPE, `Content-Length: ${late(id).length}`) + late(id);
  const split = (text: string, at: number, rest: string) =>
    sendRaw(app.url, (socket) => {
      socket.write(text.slice(0, at));
      socket.once('data', () => socket.write(text.slice(at) + rest));
    });

  test.concurrent.each([
    ['a body', -1, 35_000, 101],
    ['a head', 50, 15_000, 103],
  ])(
    '%s',
    async (_name, at, within, id) => {
      const answer = await split(createOf(id), at, createOf(id + 1));
      expect([answer.status, answer.headers['connection']]).toEqual([408, 'close']);
      expect(JSON.parse(answer.body)).toEqual({ error: 40800, message: 'the request took too long to arrive' });
      expect(answer.ms).toBeLessThan(within);
      await new Promise((resolve) => setTimeout(resolve, 200));
      expect((await app.plants()).filter((plant) => plant.id >= id && plant.id <= id + 1)).toEqual([]);
    },
    40_000,
  );
});

test('a client that goes away in the middle of a body leaves one line in the log, and no alarm', async () => {
  const socket = connect(Number(port), hostname);
  socket.write(post(HOST, AUTH, JSON_TYPE, 'X-Request-Id: gone', 'Content-Length: 100') + VALID);
  await new Promise((resolve) => setTimeout(resolve, 100));
  socket.destroy();
  const found = () => app.log.filter(({ requestId }) => requestId === 'gone');
  while (found().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  const lines = app.log.length;
  expect(found()).toEqual([expect.objectContaining({ level: 30, aborted: true, operation: 'createPlant' })]);
  expect(found()[0]).not.toHaveProperty('status');
  expect(app.log).toHaveLength(lines);
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
