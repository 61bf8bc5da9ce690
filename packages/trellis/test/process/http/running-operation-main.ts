import { setImmediate as immediate, setTimeout as sleep } from 'node:timers/promises';
import { subscribe } from 'node:diagnostics_channel';
import { EventEmitter, once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { Handler } from '../../../src/service.ts';
import { run } from 'trellis';
import { sql } from 'trellis/sql';
import { items } from '../../services/items/service.ts';

const failure = () => new Error('failed unawaited');
const done = { status: 200, headers: {}, body: { name: 'x' } };
const fail = () => {
  throw failure();
};
/** An object that throws on each access. */
const thorn: unknown = new Proxy(
  {},
  Object.fromEntries(
    Object.getOwnPropertyNames(Reflect).map((trap) => [
      trap,
      () => {
        throw failure();
      },
    ]),
  ),
);
const raise = (value: unknown): never => {
  throw value;
};

/** Callbacks that a timer of the module calls, outside of each operation. */
const waiting: (() => void)[] = [];
setInterval(() => waiting.shift()?.(), 5).unref();

/** Callbacks that a timer of the resources calls. */
const ofResources: (() => void)[] = [];

/** What is listened to on the next connection that is accepted. */
let listened: string | undefined;
subscribe('net.server.socket', (message) => {
  const { socket } = message as { readonly socket: Socket };
  if (listened === 'timeout') socket.setTimeout(20);
  if (listened !== undefined) socket.once(listened, fail);
  listened = undefined;
});
const listen = (event: string) => () => {
  listened = event;
  return Promise.resolve(done);
};

/** What an operation may do wrong, by the name of the item that it is sent. */
const misdeeds: Readonly<Record<string, Handler>> = {
  'throws before its promise': fail,
  'throws undefined': () => raise(undefined),
  'throws a symbol': () => raise(Symbol('unawaited')),
  'throws an object without a prototype': async () => raise(await Promise.resolve(Object.create(null))),
  'throws an object that throws on each access': async () => raise(await Promise.resolve(thorn)),
  'throws an error that cannot be read': async () =>
    raise(await Promise.resolve(Object.defineProperty(failure(), 'message', { get: fail }))),
  'throws an error with a member that cannot be read': async () =>
    raise(await Promise.resolve(Object.defineProperty(failure(), 'more', { enumerable: true, get: fail }))),
  'throws the word route': async () => raise(await Promise.resolve('route')),
  'throws the word router': async () => raise(await Promise.resolve('router')),
  'returns nothing': () => Promise.resolve(undefined as never),
  'returns an object that throws on each access': () => Promise.resolve(thorn as never),
  'returns a body that cannot be written': () =>
    Promise.resolve({ ...done, body: Object.defineProperty({}, 'name', { enumerable: true, get: fail }) }),
  'returns a body whose member throws the word route': () =>
    Promise.resolve({
      ...done,
      body: Object.defineProperty({}, 'name', { enumerable: true, get: () => raise('route') }),
    }),
  'leaves a rejection unhandled': () => {
    void Promise.reject(failure());
    return Promise.resolve(done);
  },
  'leaves a rejection unhandled after its reply': () => {
    void sleep(20).then(fail);
    return Promise.resolve(done);
  },
  'throws in a timer': () => {
    setTimeout(fail, 20);
    return Promise.resolve(done);
  },
  'throws in a microtask': async () => {
    queueMicrotask(fail);
    await immediate();
    return done;
  },
  'emits an error that has no listener': () => {
    setImmediate(() => new EventEmitter().emit('error', failure()));
    return Promise.resolve(done);
  },
  'wakes a timer of the resources': () => {
    ofResources.push(fail);
    return Promise.resolve(done);
  },
  'wakes an emitter of the resources': () => {
    ofResources.push(() => new EventEmitter().emit('error', failure()));
    return Promise.resolve(done);
  },
  'sends bytes to a server of the resources': async (_request, { resources }) => {
    const { port } = (resources as Opened).server.address() as AddressInfo;
    // The module's: so the operation has begun neither side.
    waiting.push(() =>
      connect(port, '127.0.0.1')
        .on('error', () => undefined)
        .end('x'),
    );
    return Promise.resolve(done);
  },
  'listens to data': listen('data'),
  'listens to end': listen('end'),
  'listens to close': listen('close'),
  'listens to timeout': listen('timeout'),
  'wakes a promise of the module': () => {
    waiting.push(() => void Promise.reject(failure()));
    return Promise.resolve(done);
  },
  'throws when its client leaves': async (_request, { signal }) => {
    signal.addEventListener('abort', fail);
    await new Promise((resolve) => {
      signal.addEventListener('abort', resolve);
    });
    return done;
  },
  'starts a worker that throws': () => {
    new Worker('throw new Error("failed unawaited")', { eval: true });
    return Promise.resolve(done);
  },
  'reads what ends the thread': async (_request, { database }) => {
    await database.selectFrom('items').selectAll().where('name', '=', 'ends the thread').execute();
    return done;
  },
  reads: async (_request, { database }) => {
    await database.selectFrom('items').selectAll().execute();
    return done;
  },
  'reads without end': async (_request, { database }) => {
    const endless = sql`(with recursive n (i) as (select 1 union all select i + 1 from n) select count(*) from n)`;
    await database.selectFrom(endless.as('endless')).selectAll().execute();
    return done;
  },
  'does not await a create that fails': (_request, { create }) => {
    void create('notes', { item: 99n, line: 'x', body: 'x' });
    return Promise.resolve(done);
  },
  'does not await a query that fails': (_request, { database }) => {
    void database.selectFrom('nothing').selectAll().execute();
    return Promise.resolve(done);
  },
};

const createItem: Handler = (request, tools) => {
  const { name } = request.body as { readonly name: string };
  return misdeeds[name]?.(request, tools) ?? Promise.resolve(done);
};

const openResources = async ({ signal }: { readonly signal: AbortSignal }) => {
  const timer = setInterval(() => ofResources.shift()?.(), 5);
  const server = createServer((socket) => socket.on('data', fail)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  signal.addEventListener('abort', fail);
  const end = () => {
    clearInterval(timer);
    server.close();
  };
  return { server, [Symbol.dispose]: end };
};
type Opened = Awaited<ReturnType<typeof openResources>>;

await run({ ...items, resources: openResources, operations: { createItem } });
