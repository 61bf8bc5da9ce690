/**
 * A request, from its bytes to the bytes of the reply. Node's parser reads a head; the ledger (ledger.ts) admits it, and
 * counts from here on what its connection makes the process hold; a `Context` carries it through Express (app.ts) to the
 * stages of its operation (router.ts, middlewares.ts). Each stage gets what the one before has made (stage.ts), and
 * reply.ts writes what the last one has.
 *
 * Bytes may be no request: unreadable.ts answers them. A stage may throw: errors.ts tells a `Refusal` as it is, makes 503
 * of a store that is away, 400 of a value that no column can have, and 500 of anything else. A client may be too slow, hold
 * too much or never read: the ledger cuts it off. The process may have to end: `stop` takes no more connections, finishes
 * the replies under way, and cuts the rest. When a reply is out, nothing of its request can be reached. recorder.ts writes
 * a line in the log for each request.
 *
 * @module
 */
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import express, { type Request, type Response } from 'express';
import type { Logger } from 'pino';
import { ExplainedError, type Refusal } from 'trellis-contract/ground';
import { tellFailure, type TellFailure } from 'trellis-contract';
import { DEADLINE, MAX } from './bounds.ts';
import type { Exchange } from './connection.ts';
import { Context } from './context.ts';
import { Ledger, type OnCutOff } from './ledger.ts';
import { allowHalfOpen, classesOf, http, stopAccepting } from './node-http.ts';
import { remainWithin, within } from '../place.ts';
import { refuseUnreadable, tooSlow } from './unreadable.ts';

/** A stopping server keeps idle connections for this time: their next request may be on its way. */
const FAREWELL_MS = 500;
const SWEEP_MS = 1000;
/** Connections that may wait to be accepted: thousands of clients may reconnect at once. */
const BACKLOG = 4096;

export interface Application {
  readonly handle: (context: Context) => void;
  /** By default, the classes of an Express application without settings. */
  readonly classes?: ReturnType<typeof classesOf>;
  /** Words the failures of bytes that are no request. */
  readonly tell?: TellFailure;
}

export interface ListenOptions {
  /** Called with each refusal of bytes that Node cannot read as a request. */
  readonly onUnreadable?: ((refusal: Refusal) => void) | undefined;
  readonly onCutOff?: OnCutOff | undefined;
  readonly idleMs?: number;
  /** How many connections may be open; by default MAX.connections. */
  readonly connections?: number;
}

/** @throws ExplainedError */
export function listen(...given: Parameters<typeof open>): ReturnType<typeof open> {
  return within({ place: 'connection' }, () => open(...given));
}

async function open(
  { handle, classes = classesOf(express()), tell = tellFailure }: Application,
  host: string,
  port: number,
  logger: Logger,
  { onUnreadable, onCutOff, connections, idleMs = DEADLINE.idle }: ListenOptions = {},
) {
  const server = http.createServer({
    ...classes,
    maxHeaderSize: MAX.headBytes,
    headersTimeout: DEADLINE.head,
    requestTimeout: DEADLINE.request,
    connectionsCheckingInterval: SWEEP_MS,
    keepAliveTimeout: idleMs,
    // Otherwise Node drops all but the first value of a header field that must not repeat.
    joinDuplicateHeaders: true,
    // requireHttp checks it: Node would answer without a body.
    requireHostHeader: false,
  });
  server.maxHeadersCount = MAX.fields;
  allowHalfOpen(server);
  const ledger = new Ledger(logger, onCutOff, connections);
  // Before Node's own listener, so that its parser remains within the place too.
  server.prependListener('connection', (socket) =>
    remainWithin({ place: 'connection', connection: new WeakRef(socket) }),
  );
  server.on('connection', (socket) => ledger.add(socket));
  for (const event of ['request', 'checkContinue', 'checkExpectation'] as const)
    server.on(event, (request, response) => {
      const connection = ledger.admit(request);
      if (connection === undefined) return;
      // For `Expect: 100-continue`: readBody asks for the body when it needs the body.
      const expectsContinue = event === 'checkContinue';
      // Both have the prototypes of Express, as `classes` makes them.
      const context = new Context(request as Request, response as Response, connection, ledger, expectsContinue);
      ledger.begin(context);
      // After a request with the header Upgrade, Node drops the rest of the packet, and parses the next packet as the
      // start of a request. The next packet may begin in the middle of one, so the connection ends.
      if (ledger.stopping || request.headers.upgrade !== undefined) connection.endAfter(context);
      handle(context);
    });
  const refuse = refuseUnreadable(server, ledger, logger, onUnreadable, tell);
  const sweep = setInterval(() => {
    for (const connection of ledger.all().filter((each) => each.isStalled())) {
      if (connection.phase === 'body') refuse(connection, tooSlow);
      else ledger.cutOff(connection, 'unread');
    }
  }, SWEEP_MS).unref();
  server.once('close', () => clearInterval(sweep));
  await bind(server, host, port);
  // A connection that the system cannot accept, as without a free file descriptor, must not end the process.
  server.on('error', (error) => logger.warn({ err: error }, 'a connection could not be accepted'));
  const address = server.address() as AddressInfo;
  return {
    /** Such as `http://127.0.0.1:3000`. */
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    connections: () => ledger.size,
    /** Accepts no more connections, answers requests under way, and cuts off those that take longer than `withinMs`. */
    stop: (withinMs: number) => {
      ledger.stopping = true;
      return stop(server, ledger, withinMs);
    },
  };
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(port, host, BACKLOG);
  try {
    await listening;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `port ${port} of ${host}`;
    if (code === 'EADDRINUSE')
      throw new ExplainedError(`${where} is in use: choose another port, or stop the process that uses it`);
    if (code === 'EACCES') throw new ExplainedError(`${where} needs a privileged user: choose a port from 1024 on`);
    throw new ExplainedError(`the service cannot listen on ${where}: ${message}`);
  }
}

async function stop(server: Server, ledger: Pick<Ledger, 'all'>, withinMs: number): Promise<void> {
  const closed = once(server, 'close');
  stopAccepting(server);
  // Each connection ends after the last of its requests, so that those before it are answered too.
  for (const connection of ledger.all()) {
    const last = connection.exchanges.at(-1);
    if (last !== undefined) connection.endAfter(last);
  }
  const sayFarewell = () => {
    // For Node, a connection is idle as soon as its reply has ended, although the client has not taken all of it.
    const isSending = ({ response }: Exchange) => response.writableEnded && !response.writableFinished;
    if (!ledger.all().some(({ exchanges }) => exchanges.some(isSending))) server.closeIdleConnections();
  };
  // An immediate runs after Node has read what has arrived: on a busy machine, a request may have waited for that.
  const farewell = setInterval(() => setImmediate(sayFarewell), FAREWELL_MS);
  const deadline = setTimeout(() => server.closeAllConnections(), withinMs);
  await closed;
  clearInterval(farewell);
  clearTimeout(deadline);
}
