import { once } from 'node:events';
import { gunzipSync, gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { MAX } from '../../../src/http/bounds.ts';
import type { Context } from '../../../src/http/context.ts';
import { IncomingBody } from '../../../src/http/incoming.ts';
import { listen } from '../../../src/http/server.ts';
import { open } from '../../support/raw.ts';
import { until } from '../../support/until.ts';

const MIB = 2 ** 20;
const COMPRESSED = gzipSync(Buffer.alloc(MIB));
const REQUEST = Buffer.concat([
  Buffer.from(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${COMPRESSED.length}\r\n\r\n`),
  COMPRESSED,
]);
const busy = () => void gunzipSync(COMPRESSED);

/** Sends a compressed body over each connection, all at once, to a listener that hands each to `receive`. */
async function exchanges(count: number, receive: (context: Context, body: IncomingBody) => Promise<unknown>) {
  const handle = (context: Context) => {
    const body = new IncomingBody(context, context.ledger);
    context.body = context.request.incoming = body;
    context.onEnd = () => body.abort();
    const received = receive(context, body);
    // The client learns nothing else: the test has what came of it.
    received.finally(() => context.response.end()).catch(() => undefined);
    results.push(received.catch((error: unknown) => (error as Error).message));
  };
  const results: Promise<unknown>[] = [];
  const listener = await listen({ handle }, '127.0.0.1', 0, pino({ level: 'silent' }));
  const clients = Array.from({ length: count }, () => open(listener).socket);
  await until(() => listener.connections() === count);
  const answered = clients.map((socket) => Promise.race([once(socket, 'data'), once(socket, 'close')]));
  for (const socket of clients) socket.write(REQUEST);
  await Promise.all(answered);
  for (const socket of clients) socket.destroy();
  await listener.stop(0);
  return Promise.all(results);
}

test('the service inflates one large body in a turn of the event loop, so that it accepts connections between', async () => {
  let turn = 0;
  let counting: NodeJS.Immediate | undefined;
  const count = () => {
    turn++;
    counting = setImmediate(count);
  };
  count();
  const turns = await exchanges(20, (_context, body) => {
    let inflatedIn = 0;
    const inflate = (bytes: Buffer) => {
      inflatedIn = turn;
      return gunzipSync(bytes);
    };
    return body.read(inflate).then(() => inflatedIn);
  });
  clearImmediate(counting);
  expect(turns).toHaveLength(20);
  expect(new Set(turns).size).toBe(20);
});

test.each([
  [
    'of which arriving bodies need the memory',
    (context: Context) => context.ledger.setHeld(context, 'body', 2 * MAX.bodies),
    'the service is busy: try again',
  ],
  ['whose client is gone', ({ request }: Context) => void request.socket.destroy(), 'body did not arrive whole'],
])('a body %s is not inflated in its turn', async (_name, meanwhile, reason) => {
  const held: number[] = [];
  let inflated = 0;
  const [result] = await exchanges(1, (context, body) => {
    // Each takes a turn. Node closes a socket in the next one.
    for (let turns = 0; turns < 10; turns++) context.ledger.later(busy);
    // Node has read the whole body by then: it came in one packet with the head.
    setImmediate(() => {
      held.push(context.held.body);
      meanwhile(context);
    });
    return body
      .read((bytes) => {
        inflated++;
        return gunzipSync(bytes);
      })
      .finally(() => held.push(context.held.body));
  });
  expect([result, inflated]).toEqual([reason, 0]);
  expect(held[0]).toBeGreaterThan(COMPRESSED.length);
  expect(held[1]).toBe(0);
});
