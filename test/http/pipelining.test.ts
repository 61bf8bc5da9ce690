import { connect } from 'node:net';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { startApp } from '../support/app.ts';
import { sendRaw } from '../support/raw.ts';

const app = await startApp();
const { host, hostname, port } = new URL(app.url);
const HOST = `Host: ${host}`;
const create = (id: number, ...more: readonly string[]) => {
  const body = `{"id":${id},"name":"x"}`;
  const fields = [
    ...more,
    HOST,
    `Authorization: Bearer ${app.token}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
  ];
  return `POST /plants HTTP/1.1\r\n${fields.join('\r\n')}\r\n\r\n${body}`;
};
const refused = `POST /plants HTTP/1.1\r\n${HOST}\r\nTransfer-Encoding: chunked\r\n\r\n`;
const statuses = (text: string) => text.match(/(?<=HTTP\/1\.1 )\d+/g);
const wait = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Sends parts one after the other, and takes all that comes. */
async function converse(...parts: readonly (string | (() => unknown))[]): Promise<string> {
  const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true });
  let text = '';
  socket
    .setNoDelay(true)
    .setEncoding('utf8')
    .on('data', (chunk: string) => (text += chunk));
  socket.on('error', () => undefined);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.once('end', () => socket.end());
  for (const part of parts) {
    if (typeof part === 'string') socket.write(part);
    else await part();
  }
  await closed;
  return text;
}

describe('requests on one connection get their answers, each its own:', () => {
  test('a create that waits, and behind it one that was refused and then broken', async () => {
    const other = new DatabaseSync(app.database);
    other.exec('begin immediate');
    const text = await converse(
      create(1),
      refused,
      () => wait(200),
      'ZZ\r\n',
      () => wait(200),
      () => {
        other.exec('rollback');
      },
    );
    other.close();
    expect(statuses(text)).toEqual(['200', '401']);
    expect(await app.store.plants.remove(1n)).toBe(true);
  });

  test('the same in one packet', async () => {
    const text = await converse(`${create(2)}${refused}ZZ\r\n`);
    expect(statuses(text)?.slice(0, 2)).toEqual(['200', '401']);
    expect(statuses(text)).toHaveLength(2);
    expect(await app.store.plants.remove(2n)).toBe(true);
  });

  test('a thousand creates', async () => {
    const text = await sendRaw(
      app.url,
      Array.from({ length: 1000 }, (_, id) => create(id)).join(''),
      `GET / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`,
    );
    expect(statuses(text.text)).toEqual([...Array.from({ length: 1000 }, () => '200'), '404']);
    for (let id = 0n; id < 1000n; id++) await app.store.plants.remove(id);
  });

  test('also where the client has said all that it has to say', async () => {
    const { port: number, hostname: address } = new URL(app.url);
    const socket = connect({ port: Number(number), host: address, allowHalfOpen: true });
    let text = '';
    socket.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
    socket.end(create(3) + create(4));
    await new Promise((resolve) => socket.once('close', resolve));
    expect(statuses(text)).toEqual(['200', '200']);
    expect([await app.store.plants.remove(3n), await app.store.plants.remove(4n)]).toEqual([true, true]);
  });
});

test('a connection that goes on talking nonsense is answered and logged once', async () => {
  const before = app.log.length;
  const parts = Array.from({ length: 100 }, () => ['JUNK\r\n\r\n', () => wait(2)]).flat();
  expect(statuses(await converse(...parts))).toEqual(['400']);
  expect(app.log.slice(before)).toEqual([
    expect.objectContaining({ msg: 'unreadable request', client: '127.0.0.1', status: 400, error: 40001 }),
  ]);
});

test('a client that goes away after it was refused leaves one line in the log', async () => {
  const before = app.log.length;
  const socket = connect(Number(port), hostname);
  socket.write(`POST /plants HTTP/1.1\r\n${HOST}\r\nContent-Length: 100\r\n\r\nabc`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.destroy();
  await wait(700);
  expect(app.log.slice(before)).toEqual([expect.objectContaining({ msg: 'request', status: 401 })]);
});

test('a client that resets its connection is not taken for one that talks nonsense', async () => {
  const before = app.log.length;
  const socket = connect(Number(port), hostname);
  socket.write(`GET /none HTTP/1.1\r\n${HOST}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resetAndDestroy();
  await wait(200);
  expect(app.log.slice(before)).toEqual([expect.objectContaining({ msg: 'request', status: 404 })]);
});

test('a client that resets its connection after CONNECT does not end the process', async () => {
  const before = app.log.length;
  const socket = connect(Number(port), hostname);
  socket.write(`CONNECT x:1 HTTP/1.1\r\n${HOST}\r\n\r\n`);
  await new Promise((resolve) => socket.once('data', resolve));
  socket.resetAndDestroy();
  await wait(200);
  expect(app.log.slice(before)).toEqual([expect.objectContaining({ status: 400, error: 40001 })]);
  expect(statuses(await converse(`GET / HTTP/1.1\r\n${HOST}\r\nConnection: close\r\n\r\n`))).toEqual(['404']);
});

describe('behind an answer that ends the connection, nothing is done:', () => {
  const body = '{"id":6,"name":"x"}';
  const unauthorised = `POST /plants HTTP/1.1\r\n${HOST}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;

  test.each([
    ['with a create in the same packet', [unauthorised + create(7)]],
    ['with one in the next', [unauthorised.slice(0, -1), () => wait(100), unauthorised.slice(-1) + create(7)]],
  ])('%s', async (_name, parts) => {
    expect(statuses(await converse(...parts))).toEqual(['401']);
    await wait(100);
    expect(await app.plants()).toEqual([]);
  });
});

describe('behind a request that offers another protocol, nothing is done', () => {
  const offer = create(5, 'Connection: upgrade', 'Upgrade: h2c');
  const carrier = create(6).replace(/Content-Length: \d+[^]*/, `Content-Length: ${create(7).length}\r\n\r\n`);

  test.each([
    ['while it waits', true],
    ['after its answer', false],
  ])('%s, and the connection ends: no body is taken for a request', async (_name, waits) => {
    const other = new DatabaseSync(app.database);
    if (waits) other.exec('begin immediate');
    const text = await converse(
      offer + carrier,
      () => wait(100),
      create(7),
      () => {
        if (waits) other.exec('rollback');
      },
    );
    other.close();
    expect(statuses(text)).toEqual(['200']);
    expect(text).toContain('Connection: close');
    expect((await app.plants()).map(({ id }) => id)).toEqual([5n]);
    await app.store.plants.remove(5n);
  });
});
