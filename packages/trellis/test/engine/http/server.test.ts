import { once } from 'node:events';
import { type AddressInfo, connect, Server } from 'node:net';
import { constants } from 'node:os';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { MAX } from '../../../src/http/bounds.ts';
import type { Context } from '../../../src/http/context.ts';
import { send } from '../../../src/http/reply.ts';
import { listen } from '../../../src/http/server.ts';
import { inTime } from '../../support/in-time.ts';
import { byHand, JSON_TYPE, open, sendRaw, VALID } from '../../support/raw.ts';
import { until } from '../../support/until.ts';
import { startApp } from '../../support/app.ts';
import { itemsIn } from '../../services/items/index.ts';

const app = await startApp();
/** For slow clients, whose tests run side by side. */
const other = await startApp();
const { HOST, AUTH, post, request, create, LAST } = byHand(app);
const item = (id: number | bigint) => `{"id":${id},"name":"x"}`;
/** The head of a create without a token. Tests send a body behind it that Node cannot parse. */
const refused = request('POST /items', 'Transfer-Encoding: chunked');

/** Removes all items, and returns their ids. */
async function removeAll(): Promise<bigint[]> {
  const ids = (await itemsIn(app.store)).map(({ id }) => id);
  await Promise.all(ids.map((id) => app.store.remove('items', id)));
  return ids;
}

/** The lines that the service logs during `work`. */
async function logOf(work: () => Promise<unknown>): Promise<unknown[]> {
  const before = app.log.length;
  await work();
  await until(() => app.log.length > before);
  return app.log.slice(before);
}

describe('bytes that are no request', () => {
  test.each([
    ['nonsense', 'NONSENSE\r\n\r\n', 400, 40001],
    ['broken chunks', `${post(HOST, AUTH, JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n`, 400, 40001],
    ['CONNECT', request('CONNECT x:1'), 400, 40001],
    ['header fields beyond 16 KiB', post(HOST, `X-Large: ${'x'.repeat(20_000)}`), 431, 43100],
  ])(
    'bytes that Node cannot parse as a request get an Error of the contract: %s',
    async (_name, bytes, status, error) => {
      const { headers, body, ...answer } = await sendRaw(app.url, bytes);
      expect(answer.status).toBe(status);
      expect(headers).toMatchObject({ 'content-type': 'application/json', connection: 'close' });
      expect(JSON.parse(body)).toEqual({ error, message: expect.any(String) });
    },
  );

  test.each([
    ['nonsense', 'NONSENSE\r\n\r\n', []],
    ['nonsense behind requests with Expect', 'NONSENSE\r\n\r\n', ['Expect: miracles']],
    ['CONNECT', request('CONNECT x:1'), []],
    ['broken chunks', `${post(HOST, AUTH, JSON_TYPE, 'Transfer-Encoding: chunked')}zz\r\n`, []],
  ])(
    'bytes that Node cannot parse as a request get 400 behind the answers to earlier requests: %s',
    async (_name, bytes, fields) => {
      const { statuses } = await sendRaw(app.url, create(item(1), ...fields) + create(item(2), ...fields) + bytes);
      expect(statuses).toEqual([200, 200, 400]);
      expect(await removeAll()).toEqual([1n, 2n]);
    },
  );

  test('bytes that Node cannot parse as a request get no answer of their own in the body of a refused request', async () => {
    expect((await sendRaw(app.url, refused, 'zz\r\n')).statuses).toEqual([401]);
  });

  test('bytes that Node cannot parse as a request get one answer on each connection, and one line in the log', async () => {
    const parts = Array.from({ length: 100 }, () => ['JUNK\r\n\r\n', () => sleep(2)]).flat();
    const log = await logOf(async () => {
      expect((await sendRaw(app.url, ...parts)).statuses).toEqual([400]);
    });
    const line = { msg: 'unreadable request', client: '127.0.0.1', status: 400, error: 40001 };
    expect(log).toEqual([expect.objectContaining(line)]);
  });
});

describe('long requests', () => {
  const large = 'x'.repeat(16_500);
  const target = `GET /${large}`;
  const field = `X-Large: ${large}`;
  const long: readonly [string, string, number, number][] = [
    ['the target', `${target} HTTP/1.1\r\n${HOST}\r\n\r\n`, 414, 41400],
    ['a value', post(HOST, field), 431, 43100],
    ['a name', post(HOST, `${large}: y`), 431, 43100],
    ['a name before the value HTTP/1.1', post(HOST, `${large}: HTTP/1.1`), 431, 43100],
    ['a value behind a target of 9,000 bytes', post(HOST, field).replace('/items', `/${'x'.repeat(9000)}`), 431, 43100],
  ];
  const NEAR_LIMIT = MAX.headBytes - 300;
  /** How many bytes arrive in a packet. */
  const sizes = [100_000, 10_000, 1448, 1];
  test.each(long.flatMap((row) => sizes.map((size) => [...row, size] as const)))(
    'a request that is too long gets the answer that names the long part: %s: %#',
    async (_name, bytes, status, error, size) => {
      // On a busy machine, all bytes one by one would take longer than a head may.
      const start = size === 1 ? NEAR_LIMIT : 0;
      const parts = Array.from({ length: Math.ceil((bytes.length - start) / size) }, (_, index) => [
        bytes.slice(start + index * size, start + (index + 1) * size),
        () => new Promise((resolve) => setImmediate(resolve)),
      ]);
      const answer = await sendRaw(app.url, bytes.slice(0, start), ...parts.flat());
      expect([answer.status, answer.statuses.length, answer.headers['connection']]).toEqual([status, 1, 'close']);
      expect(JSON.parse(answer.body)).toEqual({ error, message: expect.stringContaining('16 KiB') });
    },
  );

  test('a value that is too long is named in the answer, also if it ends in a packet of its own as a request line does', async () => {
    const parts = [post(HOST, field).slice(0, -4), () => sleep(50), 'x HTTP/1.1\r\n\r\n'];
    for (const before of ['', create(VALID)]) {
      const { statuses } = await sendRaw(app.url, before, ...parts);
      expect(statuses).toEqual([...(before === '' ? [] : [200]), 431]);
    }
    expect(await removeAll()).toEqual([1n]);
  });

  test('a request that is too long gets the answer that names the long part behind the answer to an earlier request', async () => {
    const { statuses } = await sendRaw(app.url, `${create(VALID)}${target} HTTP/1.1\r\n`);
    expect(statuses).toEqual([200, 414]);
    expect(await removeAll()).toEqual([1n]);
  });

  test('a request that is too long gets the answer that names the long part if its end arrives late', async () => {
    const end = ' HTTP/1.1\r\n';
    const late = [() => sleep(700), 'x', () => sleep(700), `x${end}\r\n`];
    const answers = [target, post(HOST, field).slice(0, -4)].map((start) => sendRaw(app.url, start, ...late));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([414, 431]);
  });
});

test.each([
  ['another transfer coding before chunked', request('POST /items', 'Transfer-Encoding: gzip, chunked'), 501, 50100],
  ['HTTP/1.2', request('GET /items').replace('HTTP/1.1', 'HTTP/1.2'), 505, 50500],
  ['HTTP/2.0', request('GET /items').replace('HTTP/1.1', 'HTTP/2.0'), 505, 50500],
])('%s gets an error of its own, and closes the connection', async (_name, bytes, status, error) => {
  const answer = await sendRaw(app.url, bytes);
  expect([answer.status, answer.headers['connection']]).toEqual([status, 'close']);
  expect(JSON.parse(answer.body)).toMatchObject({ error });
});

test('the service reads 200 header fields, and refuses 201 with 431', async () => {
  const send = (count: number) =>
    sendRaw(app.url, create(VALID, 'Connection: close', ...Array.from({ length: count - 5 }, () => 'a: b')));
  expect(await send(201)).toMatchObject({
    status: 431,
    headers: { connection: 'close' },
    body: '{"error":43100,"message":"the request has more than 200 header fields, or its target and header fields take more than 16 KiB"}',
  });
  expect(await removeAll()).toEqual([]);
  expect((await send(200)).status).toBe(200);
  expect(await removeAll()).toEqual([1n]);
});

describe('targets', () => {
  test.each(['*', 'x://host', '/items#a?b=1', 'http://host/items#a'])(
    'a request target without a path of the contract gets 404 and a line in the log: %s',
    async (target) => {
      const id = `target-${Buffer.from(target).toString('hex')}`;
      const { status, body } = await sendRaw(
        app.url,
        request(`OPTIONS ${target}`, `X-Request-Id: ${id}`, 'Connection: close'),
      );
      const message = `the path ${target.split('?', 1)[0] ?? ''} does not exist`;
      expect([status, JSON.parse(body)]).toEqual([404, { error: 40400, message }]);
      expect(await app.lineOf(id)).toMatchObject({ status: 404 });
    },
  );

  test.each(['http://[', 'http://a:b/', 'http://?', 'http://host'])(
    'a request target without a path gets the answer of /: %s',
    async (target) => {
      const { status, headers } = await sendRaw(app.url, request(`OPTIONS ${target}`, 'Connection: close'));
      expect([status, headers['allow']]).toEqual([405, 'GET, HEAD']);
    },
  );

  test('a request target in the absolute form, which clients send to proxies, reaches the operation', async () => {
    const forProxies = create(VALID, 'Connection: close').replace('/items', 'http://any.example/items');
    expect((await sendRaw(app.url, forProxies)).status).toBe(200);
    await removeAll();
  });
});

// Jest runs the concurrent tests of one `describe` at once.
describe('slow clients', () => {
  // The rest of each request arrives too late, with another create behind it.
  test.concurrent.each([
    ['a body', -1, 101],
    ['a head', 50, 103],
  ])('a slow client gets 408 for %s that is late, and the service ignores all that follows', async (_name, at, id) => {
    const bytes = byHand(other).create(item(id));
    const answer = await inTime(async () => {
      const late = await sendRaw(other.url, bytes.slice(0, at), (socket) => {
        socket.once('data', () => socket.write(bytes.slice(at) + create(item(id + 1))));
      });
      expect(late.ms).toBeLessThan(15_000);
      return late;
    });
    expect([answer.status, answer.headers['connection']]).toEqual([408, 'close']);
    expect(JSON.parse(answer.body)).toEqual({ error: 40800, message: 'the request took too long to arrive' });
    expect(await itemsIn(other.store)).toEqual([]);
  });

  test.concurrent('is cut off when it reads nothing of its reply for 10 s, even if it sends bytes', async () => {
    const own = await startApp({ beside: other });
    const bundles = 'GET /docs/swagger-ui-bundle.js HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(20);
    const clients = ['', '', request('CONNECT x:1')].map((behind) => {
      const { socket } = open(own);
      socket.pause().write(bundles + behind);
      return socket;
    });
    const busy = setInterval(() => clients[0]?.write('\r\n'), 2000);
    const cutOff = () => own.log.filter(({ msg }) => msg === 'connection cut off');
    const started = performance.now();
    await until(() => cutOff().length === clients.length);
    clearInterval(busy);
    expect(performance.now() - started).toBeGreaterThan(9000);
    const reason = 'the client read nothing of its reply for 10 s';
    for (const line of cutOff()) expect(line).toMatchObject({ client: '127.0.0.1', phase: 'replying', reason });
    for (const socket of clients) socket.destroy();
  });

  test.concurrent('gets 408 for a target that is too long, if the rest does not arrive', async () => {
    expect((await sendRaw(other.url, `GET /${'x'.repeat(16_500)}`)).statuses).toEqual([408]);
  });

  const SIZE = 16_000_000;
  const reply = 'x'.repeat(SIZE);

  /** Requests the reply, and reads so many bytes of it per second. */
  async function read(rate: number) {
    const log: { readonly msg?: string }[] = [];
    const logger = pino({ base: null }, { write: (line: string) => log.push(JSON.parse(line) as object) });
    const handle = (context: Context) => {
      send(context, 200, {}, 'application/json', reply);
    };
    const listener = await listen({ handle }, '127.0.0.1', 0, logger);
    const { hostname, port } = new URL(listener.url);
    const socket = connect(Number(port), hostname);
    let count = 0;
    socket.on('data', ({ length }) => {
      count += length;
      socket.pause();
      setTimeout(() => socket.resume(), (1000 * length) / rate);
    });
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await until(() => count > 0);
    return { log, socket, stop: (ms: number) => listener.stop(ms), count: () => count };
  }

  test.concurrent(
    'is not cut off while it reads 400 KB of a large reply each second, for longer than 10 s',
    async () => {
      const client = await read(400_000);
      await sleep(13_000);
      expect(client.count()).toBeLessThan(SIZE);
      expect(client.log).toEqual([]);
      client.socket.destroy();
      await client.stop(0);
    },
  );

  test.concurrent(
    'is not cut off while it reads some of a large reply, if the service is stopped before it has the whole',
    async () => {
      const client = await read(4_000_000);
      await client.stop(60_000);
      await until(() => client.socket.closed);
      expect(client.count()).toBeGreaterThan(SIZE);
    },
  );
});

describe('clients that disconnect', () => {
  test('the service logs one line, and no error, when a client disconnects: in the middle of a body', async () => {
    const { socket } = open(app);
    const begun = once(socket, 'data');
    socket.write(
      post(HOST, AUTH, JSON_TYPE, 'X-Request-Id: gone', 'Expect: 100-continue', 'Content-Length: 100') + VALID,
    );
    await begun;
    socket.destroy();
    const line = await app.lineOf('gone');
    expect(line).toMatchObject({ level: 30, aborted: true, operation: 'createItem' });
    expect(line).not.toHaveProperty('status');
    expect(app.log.filter(({ requestId }) => requestId === 'gone')).toHaveLength(1);
    expect(await itemsIn(app.store)).toEqual([]);
  });

  test.each([
    ['after a refusal', `${request('POST /items', 'Content-Length: 100')}abc`, { msg: 'request', status: 401 }],
    ['after its answer, by a reset', request('GET /none'), { msg: 'request', status: 404 }],
    ['after CONNECT, by a reset', request('CONNECT x:1'), { status: 400, error: 40001 }],
  ])('the service logs one line, and no error, when a client disconnects: %s', async (_name, bytes, line) => {
    const log = await logOf(async () => {
      const { socket } = open(app);
      socket.write(bytes);
      await new Promise((resolve) => socket.once('data', resolve));
      if (bytes.endsWith('abc')) socket.destroy();
      else socket.resetAndDestroy();
      // The connection would linger for 500 ms.
      await sleep(600);
    });
    expect(log).toEqual([expect.objectContaining(line)]);
    expect((await sendRaw(app.url, LAST)).statuses).toEqual([404]);
  });
});

describe('many requests on one connection', () => {
  test('on one connection, a create that waits for the store is answered before the refused one with a broken body behind it', async () => {
    // The store waits 2 s for the lock.
    await inTime(async () => {
      const other = new DatabaseSync(app.database);
      other.exec('begin immediate');
      const unlock = () => {
        other.close();
      };
      const parts = [create(VALID), refused, () => sleep(200), 'ZZ\r\n', () => sleep(200), unlock];
      expect((await sendRaw(app.url, ...parts)).statuses).toEqual([200, 401]);
    });
    expect(await removeAll()).toEqual([1n]);
  });

  test('all requests on one connection get their answers, in order: a create and a refused one with a broken body, in one packet', async () => {
    expect((await sendRaw(app.url, `${create(VALID)}${refused}ZZ\r\n`)).statuses).toEqual([200, 401]);
    expect(await removeAll()).toEqual([1n]);
  });

  test('all requests on one connection get their answers, in order: a thousand creates', async () => {
    const creates = Array.from({ length: 1000 }, (_, id) => create(item(id)));
    const { statuses } = await sendRaw(app.url, creates.join(''), LAST);
    expect(statuses).toEqual([...creates.map(() => 200), 404]);
    expect(await removeAll()).toHaveLength(1000);
  });

  test('all requests on one connection get their answers, in order: two creates of a client that then closes its side', async () => {
    const { statuses } = await sendRaw(app.url, (socket) => socket.end(create(item(3)) + create(item(4))));
    expect(statuses).toEqual([200, 200]);
    expect(await removeAll()).toEqual([3n, 4n]);
  });
});

describe('bytes behind the last answer', () => {
  const unauthorised = request('POST /items', `Content-Length: ${VALID.length}`) + VALID;

  test.each([
    ['a create in the same packet', [unauthorised + create(item(7))]],
    ['a create in the next', [unauthorised.slice(0, -1), () => sleep(100), unauthorised.slice(-1) + create(item(7))]],
  ])('behind an answer that closes the connection, the service ignores %s', async (_name, parts) => {
    expect((await sendRaw(app.url, ...parts)).statuses).toEqual([401]);
    await sleep(100);
    expect(await itemsIn(app.store)).toEqual([]);
  });

  test.each([
    ['before', true],
    ['after', false],
  ])(
    'behind an answer that closes the connection, the service ignores a create hidden in a body, sent %s the answer to a request with Upgrade',
    async (_name, waits) => {
      const offer = create(item(5), 'Connection: upgrade', 'Upgrade: h2c');
      const hidden = create(item(7));
      const carrier = post(HOST, AUTH, JSON_TYPE, `Content-Length: ${hidden.length}`);
      // The store waits 2 s for the lock.
      await inTime(async () => {
        const other = new DatabaseSync(app.database);
        if (waits) other.exec('begin immediate');
        const unlock = () => {
          other.close();
        };
        const { statuses, headers } = await sendRaw(app.url, offer + carrier, () => sleep(100), hidden, unlock);
        expect([statuses, headers['connection']]).toEqual([[200], 'close']);
      });
      expect(await removeAll()).toEqual([5n]);
    },
  );
});

describe('request ids', () => {
  const answered = async (id: string) => {
    const response = await fetch(`${app.url}/items`, { headers: { 'X-Request-Id': id } });
    await response.text();
    return response.headers.get('x-request-id');
  };

  test('the id of a request is the X-Request-Id of the client, if that is valid', async () => {
    expect(await answered('trace-1/2.3:4~5_6+7=')).toBe('trace-1/2.3:4~5_6+7=');
  });

  test.each(['', 'a b', 'x'.repeat(129), '{"a":1}', 'é'])(
    'the id of a request is a new one if the client sends %j',
    async (id) => {
      expect(await answered(id)).toMatch(/^[0-9a-f-]{36}$/);
    },
  );
});

describe('log lines', () => {
  const [TRACE, PARENT] = ['4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'];
  const traceOf = async (...traceparent: readonly string[]) => {
    const headers = new Headers(traceparent.map((value): [string, string] => ['traceparent', value]));
    const response = await fetch(`${app.url}/none`, { headers });
    await response.text();
    return (await app.lineOf(response))['traceId'];
  };

  test.each([`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-00`, `cc-${TRACE}-${PARENT}-01-what-will-be`])(
    'the log line of a request has the trace id of the traceparent %s',
    async (traceparent) => {
      expect(await traceOf(traceparent)).toBe(TRACE);
    },
  );

  test.each([
    [],
    [''],
    [TRACE],
    [`00-${TRACE}-${PARENT}`],
    [`00-${TRACE}-${PARENT}-01-more`],
    [`00-${TRACE}-${PARENT}-011`],
    [`ff-${TRACE}-${PARENT}-01`],
    [`0-${TRACE}-${PARENT}-01`],
    [`00-${'0'.repeat(32)}-${PARENT}-01`],
    [`00-${TRACE}-${'0'.repeat(16)}-01`],
    [`00-${TRACE.toUpperCase()}-${PARENT}-01`],
    [`00-${TRACE}0-${PARENT}-01`],
    [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-01`],
  ])('the log line of a request has no trace id for the traceparent `%s`', async (...traceparent) => {
    expect(await traceOf(...traceparent)).toBeUndefined();
  });
});

test('the log line of a request has its path, but neither its query nor a password', async () => {
  await (await fetch(`${app.url}/none?token=secret`, { headers: { 'X-Request-Id': 'query' } })).text();
  expect(await app.lineOf('query')).toMatchObject({ method: 'GET', path: '/none', status: 404, error: 40400 });
  await sendRaw(app.url, request('GET http://user:secret@host/none', 'X-Request-Id: absolute', 'Connection: close'));
  expect(await app.lineOf('absolute')).toMatchObject({ path: 'http://host/none', status: 404 });
  expect(JSON.stringify(app.log)).not.toContain('secret');
});

test('the service logs a connection that the system cannot accept, and accepts the next one', async () => {
  const log: string[] = [];
  const handle = ({ response }: Context) => response.end('here');
  const listener = await listen({ handle }, '127.0.0.1', 0, pino({}, { write: (line: string) => log.push(line) }));
  const inside = process as unknown as { _getActiveHandles(): unknown[] };
  const server = inside
    ._getActiveHandles()
    .find(
      (each): each is Server =>
        each instanceof Server && (each.address() as AddressInfo).port === Number(new URL(listener.url).port),
    );
  // Node gets this error from the system when the process has no free file descriptor.
  (server as unknown as { _handle: { onconnection(error: number): void } })._handle.onconnection(
    -constants.errno.EMFILE,
  );
  expect(await (await fetch(listener.url)).text()).toBe('here');
  expect(log.map((line) => JSON.parse(line) as object)).toEqual([
    expect.objectContaining({ level: 40, msg: 'a connection could not be accepted' }),
  ]);
  await listener.stop(0);
});

test('a stopping server answers a request that arrived in time on an idle connection, although it was too busy to read it', async () => {
  const handle = (context: Context) => {
    send(context, 200, {}, 'text/plain', 'here');
  };
  const listener = await listen({ handle }, '127.0.0.1', 0, pino({ level: 'silent' }));
  const { hostname, port } = new URL(listener.url);
  const socket = connect(Number(port), hostname);
  let received = '';
  socket
    .on('error', () => undefined)
    .setEncoding('utf8')
    .on('data', (text: string) => {
      received += text;
    });
  const ask = () => socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
  const answers = () => received.split('here').length - 1;
  ask();
  await until(() => answers() === 1);
  const closed = once(socket, 'close');
  const stopped = listener.stop(60_000);
  setImmediate(() => {
    ask();
    // Longer than the server keeps idle connections: its timer is due before it reads the request.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1000);
  });
  await Promise.all([closed, stopped]);
  expect(answers()).toBe(2);
});
