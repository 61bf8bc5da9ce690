import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { pino } from 'pino';
import { hashToken, makeToken } from '../../src/auth/token.ts';
import { MAX } from '../../src/http/bounds.ts';
import { Exchange } from '../../src/http/connections.ts';
import { listen } from '../../src/http/server.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { Crowd } from '../support/crowd.ts';
import { byHand, JSON_TYPE, sendRaw, VALID } from '../support/raw.ts';
import { createPlant, startService } from '../support/service.ts';

const CHUNKED = 'Transfer-Encoding: chunked';
/** A body in chunks of a byte. */
const inBytes = (body: string) => `${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
const padded = (id: number, bytes: number) => `{"id":${id},"name":"x"}`.padEnd(bytes);
const plant = (id: number) => padded(id, 0);

/** A connection, and what came on it. */
function open({ url }: { readonly url: string }) {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).setEncoding('latin1');
  const received = { text: '' };
  socket.on('data', (text) => (received.text += String(text))).on('error', () => undefined);
  return { socket, received };
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(5);
}

async function addToken({ store, url }: TestApp, name: string): Promise<{ url: string; token: string }> {
  const token = makeToken();
  await store.tokens.add({ name, hash: hashToken(token) });
  return { url, token };
}

describe('a request whose reply is out', () => {
  test.each([
    ['a create in chunks of a byte', (app: TestApp) => createInBytes(app, 1), '200'],
    ['many header fields', () => `GET /none HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(150)}\r\n`, '404'],
    ['a body that is too large', (app: TestApp) => createInBytes(app, MAX.bodyBytes), '400'],
  ])('is no longer reachable, though its connection is: %s', async (_name, request, status) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const seen: WeakRef<IncomingMessage>[] = [];
    const onRequest = (message: unknown) => {
      seen.push(new WeakRef((message as { request: IncomingMessage }).request));
    };
    const app = await startApp();
    subscribe('http.server.request.start', onRequest);
    const { socket, received } = open(app);
    socket.write(request(app));
    await until(() => received.text.includes(`HTTP/1.1 ${status}`) && received.text.endsWith('}'));
    unsubscribe('http.server.request.start', onRequest);
    await until(() => {
      collect();
      return seen.every((each) => each.deref() === undefined);
    });
    expect(seen).toHaveLength(1);
    socket.destroy();
  });

  function createInBytes(app: TestApp, id: number): string {
    const { HOST, AUTH, post } = byHand(app);
    return post(HOST, AUTH, JSON_TYPE, CHUNKED) + inBytes(padded(id, id === 1 ? 1000 : id));
  }
});

describe('chunks of a byte', () => {
  test('are taken while the body is small', async () => {
    const app = await startApp();
    const { HOST, AUTH, post } = byHand(app);
    const head = post(HOST, AUTH, JSON_TYPE, CHUNKED, 'Connection: close');
    expect((await sendRaw(app.url, head, inBytes(padded(1, 3000)))).status).toBe(200);
  });

  test('are refused when most of a large body is framing, and for a while all chunks of the caller', async () => {
    const app = await startApp();
    const other = await addToken(app, 'other');
    const send = (token: string, body: string) => {
      const { HOST, AUTH, post } = byHand({ url: app.url, token });
      return sendRaw(app.url, post(HOST, AUTH, JSON_TYPE, CHUNKED, 'Connection: close'), body);
    };
    // Whose a token is turns out when the store has been asked.
    for (const { token } of [app, other]) await createPlant({ url: app.url, token }, plant(0));
    const refused = await send(app.token, inBytes(padded(1, 60_000)));
    expect([refused.status, refused.headers['connection']]).toEqual([400, 'close']);
    expect(JSON.parse(refused.body)).toEqual({
      error: 40001,
      message: 'the chunks of the body are too small: send fewer, larger ones',
    });
    const again = await send(app.token, `13\r\n${plant(2)}\r\n0\r\n\r\n`);
    expect([again.status, again.headers['retry-after']]).toEqual([503, '10']);
    expect((await send(other.token, `13\r\n${plant(3)}\r\n0\r\n\r\n`)).status).toBe(200);
    expect((await createPlant(app, plant(4))).status).toBe(200);
    expect((await app.plants()).map(({ id }) => id)).toEqual([0n, 3n, 4n]);
  });
});

describe('at a bound, the holder of most gives way:', () => {
  test('the caller with most bytes of bodies', async () => {
    const app = await startApp();
    const hog = await addToken(app, 'hog');
    const { HOST, AUTH, post } = byHand(hog);
    const bytes = MAX.bodyBytes - 1000;
    const sockets: Socket[] = [];
    for (let held = 0; held <= MAX.bodies; held += bytes) {
      const { socket } = open(app);
      socket.write(post(HOST, AUTH, JSON_TYPE, `Content-Length: ${bytes}`) + padded(1, bytes - 1));
      sockets.push(socket);
    }
    const wide = (id: number) => createPlant(app, padded(id, bytes));
    const honest = await Promise.all(Array.from({ length: 20 }, (_, id) => wide(id + 2)));
    expect(honest.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200));
    const refused = () => app.log.filter(({ status }) => status === 503);
    await until(() => refused().length > 0);
    expect(refused()[0]).toMatchObject({ caller: 'hog', error: 50300, reason: expect.stringContaining('bodies fill') });
    for (const socket of sockets) socket.destroy();
  });

  test('the caller with most requests under way', async () => {
    const done = Promise.withResolvers<{ status: number; body: object }>();
    let taken = 0;
    const take = () => {
      taken++;
      return done.promise;
    };
    const app = await startApp({ operations: { createPlant: take } });
    const other = await addToken(app, 'other');
    const waiting = Array.from({ length: MAX.underWay }, () => createPlant(app, VALID));
    await until(() => taken === MAX.underWay);
    expect((await createPlant(app, VALID)).status).toBe(503);
    waiting.push(createPlant(other, VALID));
    await until(() => taken === MAX.underWay + 1);
    done.resolve({ status: 200, body: { name: 'x' } });
    expect((await Promise.all(waiting)).filter(({ status }) => status !== 200)).toEqual([]);
  });

  test('the connections without progress for longest', async () => {
    const service = await startService();
    const { HOST, AUTH, post } = byHand(service);
    const upload = open(service).socket;
    upload.write(post(HOST, AUTH, JSON_TYPE, 'Content-Length: 60000'));
    const trickle = setInterval(() => upload.write('{'), 50);
    using crowd = new Crowd(service);
    while (crowd.sockets.length <= MAX.connections) await crowd.join(256);
    const cutOff = () => service.log().filter(({ msg }) => msg === 'connection cut off');
    await until(() => cutOff().length > 0 && crowd.sockets[0]?.destroyed === true);
    expect(cutOff()[0]).toMatchObject({
      client: '127.0.0.1',
      phase: 'head',
      reason: expect.stringContaining('10,240'),
    });
    expect(crowd.sockets.slice(-5000).every(({ destroyed }) => !destroyed)).toBe(true);
    expect((await createPlant(service, VALID)).status).toBe(200);
    clearInterval(trickle);
    expect(upload.destroyed).toBe(false);
    upload.destroy();
    expect(await service.stop()).toBe(0);
  });
});

test('cuts off a client that takes nothing of its reply for 10 s, though it sends bytes, and logs why', async () => {
  const app = await startApp();
  const bundles = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20);
  const clients = ['', '', 'CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n'].map((behind) => {
    const { socket } = open(app);
    socket.pause().write(bundles + behind);
    return socket;
  });
  const busy = setInterval(() => clients[0]?.write('\r\n'), 2000);
  const cutOff = () => app.log.filter(({ msg }) => msg === 'connection cut off');
  const started = performance.now();
  await until(() => cutOff().length === clients.length);
  clearInterval(busy);
  expect(performance.now() - started).toBeGreaterThan(9000);
  for (const line of cutOff())
    expect(line).toMatchObject({
      client: '127.0.0.1',
      phase: 'replying',
      reason: 'the client took nothing of its reply for 10 s',
    });
  for (const socket of clients) socket.destroy();
});

test('a reply to a client that is gone counts for nothing', async () => {
  const gone = Promise.withResolvers<Exchange>();
  const handle = (exchange: Exchange) => {
    if (exchange.request.url === '/gone')
      exchange.onEnd = () => {
        gone.resolve(exchange);
      };
    else {
      exchange.ledger.hold(exchange, 'reply', 1);
      exchange.response.end('here');
    }
  };
  const listener = await listen({ Exchange, handle }, '127.0.0.1', 0, pino({ level: 'silent' }));
  const client = open(listener).socket;
  client.write('GET /gone HTTP/1.1\r\nHost: x\r\n\r\n', () => client.resetAndDestroy());
  const exchange = await gone.promise;
  exchange.ledger.hold(exchange, 'reply', 2 * MAX.unsent);
  expect(await (await fetch(listener.url)).text()).toBe('here');
  await listener.stop(0);
});

test('a create behind a request that was refused without its 100 Continue is answered', async () => {
  const app = await startApp();
  const { HOST, AUTH, post } = byHand(app);
  const sized = `Content-Length: ${VALID.length}`;
  const refused = post(HOST, `Authorization: Bearer ${makeToken()}`, JSON_TYPE, 'Expect: 100-continue', sized) + VALID;
  const { text } = await sendRaw(app.url, refused + post(HOST, AUTH, JSON_TYPE, sized, 'Connection: close') + VALID);
  expect(text.match(/(?<=HTTP\/1\.1 )\d+/g)).toEqual(['100', '401', '200']);
});

test('a token that is revoked while its body is on its way stores nothing a second later', async () => {
  const app = await startApp();
  const { HOST, AUTH, post } = byHand(app);
  const { socket, received } = open(app);
  socket.write(`${post(HOST, AUTH, JSON_TYPE, `Content-Length: ${VALID.length}`)}${VALID.slice(0, 5)}`);
  await sleep(100);
  await app.store.tokens.revoke('tests');
  await sleep(1000);
  socket.write(VALID.slice(5));
  await until(() => received.text.includes('}'));
  expect(received.text).toMatch(/^HTTP\/1\.1 401 /);
  expect(await app.plants()).toEqual([]);
  socket.destroy();
});

test('a failure that repeats is logged with its stack once, and counted then', async () => {
  const app = await startApp({ operations: { createPlant: () => Promise.reject(new Error('sabotage')) } });
  for (let time = 0; time < 3; time++) expect((await createPlant(app, VALID)).status).toBe(500);
  const failures = () => app.log.filter(({ msg }) => msg === 'request failed');
  await until(() => failures().length === 3);
  expect(failures().map(({ failure, repeats, err }) => [failure, repeats, err === undefined])).toEqual([
    [undefined, undefined, false],
    ['Error: sabotage', 1, true],
    ['Error: sabotage', 2, true],
  ]);
});

describe('a limit of requests', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test('goes by a clock that is not set back', async () => {
    const app = await startApp({ rateLimit: { requests: 1, windowMs: 1000 } });
    expect((await createPlant(app, VALID)).status).toBe(200);
    const now = Date.now.bind(Date);
    jest.spyOn(Date, 'now').mockImplementation(() => now() - 3_600_000);
    const refused = await createPlant(app, VALID);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
    await sleep(1000);
    expect((await createPlant(app, VALID)).status).toBe(200);
  });
});
