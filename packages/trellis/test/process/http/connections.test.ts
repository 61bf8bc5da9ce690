import { once } from 'node:events';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { IncomingMessage } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { makeToken } from '../../../src/auth/token.ts';
import { MAX } from '../../../src/http/bounds.ts';
import type { Context } from '../../../src/http/context.ts';
import { listen } from '../../../src/http/server.ts';
import type { Handler } from '../../../src/service.ts';
import { startBusy } from '../../support/busy.ts';
import { Crowd } from '../../support/crowd.ts';
import { inTime } from '../../support/in-time.ts';
import { sample, samples, scrape } from '../../support/metrics.ts';
import { createPlace } from '../../support/place.ts';
import { byHand, JSON_TYPE, open, sendRaw, VALID } from '../../support/raw.ts';
import { createItem, ITEMS, listening, type Output, start } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';
import { addToken, startApp, type TestApp } from '../../support/app.ts';
import { itemsIn } from '../../services/items/index.ts';

const CHUNKED = 'Transfer-Encoding: chunked';
/** A body in chunks of one byte. */
const inBytes = (body: string) => `${Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`;
const item = (id: number, bytes = 0) => `{"id":${id},"name":"x"}`.padEnd(bytes);

describe('answered requests', () => {
  const createInBytes = (app: TestApp, bytes: number) => {
    const { HOST, AUTH, post } = byHand(app);
    return post(HOST, AUTH, JSON_TYPE, CHUNKED) + inBytes(item(1, bytes));
  };
  test.each([
    ['in chunks of one byte', (app: TestApp) => createInBytes(app, 1000), '200'],
    ['with many header fields', () => `GET /none HTTP/1.1\r\nHost: x\r\n${'a:b\r\n'.repeat(150)}\r\n`, '404'],
    ['with too many small chunks', (app: TestApp) => createInBytes(app, 6000), '400'],
  ])('an answered request %s is garbage-collected while its connection stays open', async (_name, request, status) => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const seen: WeakRef<IncomingMessage>[] = [];
    const onRequest = (message: unknown) => {
      seen.push(new WeakRef((message as { request: IncomingMessage }).request));
    };
    const app = await startApp();
    subscribe('http.server.request.start', onRequest);
    const connection = open(app);
    connection.socket.write(request(app));
    await until(() => connection.received.includes(`HTTP/1.1 ${status}`) && connection.received.endsWith('}'));
    unsubscribe('http.server.request.start', onRequest);
    await until(() => {
      collect();
      return seen.every((each) => each.deref() === undefined);
    });
    expect(seen).toHaveLength(1);
    connection.socket.destroy();
  });

  test('an answered request keeps no body in memory while its reply waits for that of an earlier request', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const bodies: WeakRef<object>[] = [];
    const first = Promise.withResolvers<undefined>();
    const createItem: Handler = async ({ body }) => {
      bodies.push(new WeakRef(body as object));
      if (bodies.length === 1) await first.promise;
      return { status: 200, body: { id: 1n, name: 'x' } };
    };
    const app = await startApp({ operations: { createItem } });
    const { HOST, AUTH, post } = byHand(app);
    const connection = open(app);
    const request = post(HOST, AUTH, JSON_TYPE, `Content-Length: ${VALID.length}`) + VALID;
    connection.socket.write(request + request);
    await until(() => bodies.length === 2);
    await until(() => {
      collect();
      return bodies[1]?.deref() === undefined;
    });
    expect(connection.received).toBe('');
    first.resolve(undefined);
    await until(() => connection.received.split('HTTP/1.1 200').length === 3);
    connection.socket.destroy();
  });
});

describe('small chunks', () => {
  test('chunks of one byte are accepted in a small body', async () => {
    const app = await startApp();
    const { HOST, AUTH, post } = byHand(app);
    const head = post(HOST, AUTH, JSON_TYPE, CHUNKED, 'Connection: close');
    expect((await sendRaw(app.url, head, inBytes(item(1, 3000)))).status).toBe(200);
  });

  test('chunks of one byte are refused in a large body, and for 10 s so is any chunked body of the same caller', async () => {
    await inTime(async () => {
      const app = await startApp();
      const other = await addToken(app, 'other');
      const send = (caller: { url: string; token: string }, body: string) => {
        const { HOST, AUTH, post } = byHand(caller);
        return sendRaw(app.url, post(HOST, AUTH, JSON_TYPE, CHUNKED, 'Connection: close'), body);
      };
      // After this the service knows the caller of each token, and need not ask the store.
      for (const caller of [app, other]) await createItem(caller, item(0));
      const refused = await send(app, inBytes(item(1, 10_000)));
      expect([refused.status, refused.headers['connection']]).toEqual([400, 'close']);
      expect(JSON.parse(refused.body)).toEqual({
        error: 40001,
        message: 'the chunks of the body are too small: send fewer, larger ones',
      });
      const again = await send(app, `13\r\n${item(2)}\r\n0\r\n\r\n`);
      expect([again.status, again.headers['retry-after']]).toEqual([503, '10']);
      expect((await send(other, `13\r\n${item(3)}\r\n0\r\n\r\n`)).status).toBe(200);
      expect((await createItem(app, item(4))).status).toBe(200);
      expect((await itemsIn(app.store)).map(({ id }) => id)).toEqual([0n, 3n, 4n]);
    });
  });
});

describe('bounds', () => {
  test('at a bound, the service refuses or cuts off the caller with the most bytes of bodies', async () => {
    const app = await startApp();
    const { HOST, AUTH, post } = byHand(await addToken(app, 'hog'));
    const bytes = MAX.bodyBytes - 1000;
    const sockets = Array.from({ length: Math.ceil(MAX.bodies / bytes) }, () => open(app).socket);
    for (const socket of sockets)
      socket.write(post(HOST, AUTH, JSON_TYPE, `Content-Length: ${bytes}`) + item(1, bytes - 1));
    const honest = await Promise.all(Array.from({ length: 20 }, (_, id) => createItem(app, item(id + 2, bytes))));
    expect(honest.filter(({ status }) => status !== 200)).toEqual([]);
    const refused = await until(() => app.log.find(({ status }) => status === 503));
    expect(refused).toMatchObject({ caller: 'hog', error: 50300, reason: expect.stringContaining('bodies take') });
    for (const socket of sockets) socket.destroy();
  });

  test('at a bound, the service refuses or cuts off the caller with the most requests under way, but keeps its connections', async () => {
    const { app, taken, finish } = await startBusy();
    const whole = byHand(app).create(VALID);
    const connection = open(app);
    for (const count of [1, 2]) {
      connection.socket.write(whole);
      await until(() => connection.received.split('}').length > count || connection.socket.destroyed);
    }
    const refusal = ['HTTP/1.1 503', 'Retry-After: 1', 'Connection: keep-alive'];
    expect(connection.received.match(/HTTP\/1\.1 \d+|(Retry-After|Connection): [\w-]+/g)).toEqual([
      ...refusal,
      ...refusal,
    ]);
    connection.socket.destroy();
    const other = createItem(await addToken(app, 'other'), VALID);
    await until(() => taken() === MAX.underWay + 1);
    expect(await finish()).toEqual(new Set([200]));
    expect((await other).status).toBe(200);
  });

  const cutOff = async (service: Output) =>
    samples(await scrape(service), 'item_store_connections_cut_off_total')['connections'];
  const isLine = ({ msg }: Record<string, unknown>) => msg === 'connection cut off';
  const reason = expect.stringContaining('more connections are open than');

  /** A service that takes 208 connections. */
  async function startSmall(settings: Readonly<Record<string, string>>) {
    await using place = await createPlace('SQLite');
    const environment = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: place.url, ...settings };
    const command = ['--norc', '-c', 'ulimit -n 400 && exec "$@"', 'bash', process.execPath, ITEMS.main, 'serve'];
    const started = start('bash', command, environment, temporaryFolder());
    return { ...started, url: await listening(started), token: place.token };
  }

  test('at a bound, the service refuses or cuts off the connections that have been idle for the longest time', async () => {
    const service = await startSmall({ IDLE_TIMEOUT: '10m' });
    using crowd = new Crowd(service);
    // Without a request they would have to be open within 10 s, which is less than a busy machine needs.
    while (crowd.sockets.length <= 208)
      await Promise.all(
        (await crowd.join(64)).map((socket) => {
          socket.write('GET /none HTTP/1.1\r\nHost: x\r\n\r\n');
          return once(socket, 'data');
        }),
      );
    // The log comes later than what the metrics count.
    const line = await until(() => service.log().find(isLine));
    expect(line).toMatchObject({ client: '127.0.0.1', phase: 'idle', reason });
    expect(await cutOff(service)).toBeGreaterThan(0);
    await until(() => crowd.sockets.slice(0, 64).some(({ destroyed }) => destroyed));
    expect(crowd.sockets.slice(-128).every(({ destroyed }) => !destroyed)).toBe(true);
    expect((await createItem(service, VALID)).status).toBe(200);
    // The service has 5.5 s to stop, in which a busy machine may not close so many connections.
    crowd[Symbol.dispose]();
    await until(async () => Number(sample(await scrape(service), 'item_store_connections_open')) < 10);
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('at a bound, the service refuses or cuts off connections that send nothing, and none whose request is arriving', async () => {
    // A connection has 10 s for its first request, and 30 s for the whole of it.
    await inTime(async () => {
      const service = await startSmall({});
      const { HOST, AUTH, post } = byHand(service);
      const upload = open(service).socket;
      upload.write(post(HOST, AUTH, JSON_TYPE, 'Content-Length: 60000'));
      const trickle = setInterval(() => upload.write('{'), 50);
      using _trickle = {
        [Symbol.dispose]: () => {
          clearInterval(trickle);
        },
      };
      using crowd = new Crowd(service);
      while (crowd.sockets.length <= 208) await crowd.join(64);
      const line = await until(() => service.log().find(isLine), 15_000);
      expect(line).toMatchObject({ client: '127.0.0.1', phase: 'head', reason });
      expect(crowd.sockets.slice(-64).every(({ destroyed }) => !destroyed)).toBe(true);
      expect((await createItem(service, VALID)).status).toBe(200);
      expect(upload.destroyed).toBe(false);
      upload.destroy();
      service.child.kill('SIGTERM');
      expect(await service.ended).toBe(0);
    });
  });
});

test('the service limits how many pipelined requests it answers in one turn of the event loop', async () => {
  const app = await startApp();
  const clients = Array.from({ length: 20 }, () => open(app).socket);
  // The answer to a first request shows that the service has accepted the connection.
  const request = 'GET /none HTTP/1.1\r\nHost: x\r\n\r\n';
  await Promise.all(
    clients.map((socket) => {
      socket.write(request);
      return once(socket, 'data');
    }),
  );
  const answered = app.log.length;
  const ended = Promise.all(clients.map((socket) => once(socket, 'close')));
  // The service runs in this process: it reads nothing before the system has buffered all of this.
  for (const socket of clients) socket.end(request.repeat(250));
  await ended;
  const { length } = app.log.slice(answered).filter(({ status }) => status === 404);
  expect(length).toBeGreaterThan(MAX.underWay / 2);
  expect(length).toBeLessThan(2 * MAX.underWay);
});

test('a reply to a client that has disconnected does not count as unsent bytes', async () => {
  const gone = Promise.withResolvers<Context>();
  const handle = (exchange: Context) => {
    if (exchange.request.url === '/gone')
      exchange.onEnd = () => {
        gone.resolve(exchange);
      };
    else {
      exchange.ledger.setHeld(exchange, 'reply', 1);
      exchange.response.end('here');
    }
  };
  const listener = await listen({ handle }, '127.0.0.1', 0, pino({ level: 'silent' }));
  const client = open(listener).socket;
  client.write('GET /gone HTTP/1.1\r\nHost: x\r\n\r\n', () => client.resetAndDestroy());
  const exchange = await gone.promise;
  exchange.ledger.setHeld(exchange, 'reply', 2 * MAX.unsent);
  expect(await (await fetch(listener.url)).text()).toBe('here');
  await listener.stop(0);
});

test('the service answers a create that follows a refused request with Expect: 100-continue on the same connection', async () => {
  const app = await startApp();
  const refused = byHand({ url: app.url, token: makeToken('item-store') }).create(VALID, 'Expect: 100-continue');
  const { statuses } = await sendRaw(app.url, refused + byHand(app).create(VALID, 'Connection: close'));
  expect(statuses).toEqual([100, 401, 200]);
});

test('a create stores nothing if its token was revoked 1 s before the end of its body', async () => {
  const app = await startApp();
  const create = byHand(app).create(VALID, 'Expect: 100-continue');
  const connection = open(app);
  connection.socket.write(create.slice(0, -10));
  // The service asks for the body once it knows the token.
  await until(() => connection.received.startsWith('HTTP/1.1 100 '));
  await app.store.tokens.revoke('tests');
  await sleep(1000);
  connection.socket.write(create.slice(-10));
  await until(() => connection.received.includes('}'));
  expect(connection.received).toContain('\r\nHTTP/1.1 401 ');
  expect(await itemsIn(app.store)).toEqual([]);
  connection.socket.destroy();
});
