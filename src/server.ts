import { once } from 'node:events';
import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { expectContinue } from './contract/body.ts';
import { ErrorNumber, Refusal } from './contract/errors.ts';
import { endAfter, isEnding, sendUnreadable } from './contract/send.ts';

const SECOND = 1000;

/** How long connections without a request are kept at the end, in milliseconds: their next one may be on its way. */
const FAREWELL_MS = 500;

/** Node's code for a request that did not arrive in time. */
const TIMED_OUT = 'ERR_HTTP_REQUEST_TIMEOUT';

/** The address cannot be listened on. The message says why, in one line. */
export class ListenError extends Error {
  override readonly name = 'ListenError';
}

/** A server that listens. */
export interface Listener {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops accepting, answers what is under way, closes. What is not answered by then is cut off. */
  stop(withinMs: number): Promise<void>;
}

/** @throws ListenError */
export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
  logger: Logger,
  classes: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'> = {},
): Promise<Listener> {
  const server = createServer({
    ...classes,
    headersTimeout: 10 * SECOND,
    requestTimeout: 30 * SECOND,
    connectionsCheckingInterval: SECOND,
    // Longer than proxies commonly keep a connection that they may use again.
    keepAliveTimeout: 65 * SECOND,
    // A field that repeats, but must not, then shows it, instead of losing a value.
    joinDuplicateHeaders: true,
    // Node would answer without a body: the app looks for it.
    requireHostHeader: false,
  });
  // Fields beyond a count would be dropped in silence; their size is limited anyway.
  server.maxHeadersCount = 0;
  // A client that has said all that it has to say still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const replies = new Replies(server);
  // Whether a body is wanted is decided by the app, which asks for it (body.ts).
  server.on('checkContinue', expectContinue);
  let stopping = false;
  onRequest(server, (request, response) => {
    if (isEnding(request)) return;
    // Node loses the rest of the packet behind a request that offers another protocol, and takes what comes next for the
    // start of a request, be it the middle of one.
    if (stopping || request.headers.upgrade !== undefined) announceEnd(response);
    handler(request, response);
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    // What comes too late is not done after all.
    if (error.code === TIMED_OUT) socket.pause();
    answerUnreadable(socket, toRefusal(error));
  });
  server.on('connect', (_request, socket) => {
    // Node has taken its own listener off: a client that resets its connection would end the process.
    socket.on('error', () => undefined);
    answerUnreadable(socket, new Refusal(ErrorNumber.malformedMessage, 'CONNECT is not for this service'));
  });
  // Node reports what comes after the first fault as well.
  const refused = new WeakSet<Duplex>();
  function answerUnreadable(socket: Duplex, refusal: Refusal): void {
    // Nor does a connection that is gone want an answer.
    if (refused.has(socket) || !socket.writable) return;
    refused.add(socket);
    replies.afterWhole(socket, () => {
      logger.info({ status: refusal.status, error: refusal.number, reason: refusal.message }, 'unreadable request');
      sendUnreadable(socket, refusal);
    });
  }
  await bind(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}`,
    stop: (withinMs) => {
      stopping = true;
      return stop(server, replies, withinMs);
    },
  };
}

/** Node reports a request by one of these events, depending on what it expects. */
const REQUEST_EVENTS = ['request', 'checkContinue', 'checkExpectation'];

function onRequest(server: Server, listener: RequestListener): void {
  for (const event of REQUEST_EVENTS) server.on(event, listener);
}

/** The replies that are under way, by connection, in the order of their requests. */
class Replies {
  private readonly open = new Map<Duplex, ServerResponse[]>();

  constructor(server: Server) {
    server.on('connection', (socket) => {
      socket.once('close', () => this.open.delete(socket));
    });
    onRequest(server, ({ socket }, response) => {
      // Replies end in the order of their requests: mostly there is none but this one.
      const pipelined = this.open.get(socket)?.at(-1)?.writableFinished === false;
      this.open.set(socket, pipelined ? [...this.of(socket), response] : [response]);
    });
  }

  /** Of each connection the one that comes last. */
  last(): ServerResponse[] {
    return [...this.open.keys()].flatMap((socket) => this.of(socket).slice(-1));
  }

  /**
   * Calls back when the requests that came whole are answered, if the one that did not is not answered too: such an
   * answer, given before the request was read, is the last one of its connection.
   */
  afterWhole(socket: Duplex, callback: () => void): void {
    const unfinished = this.of(socket);
    if (unfinished.some(({ req, headersSent }) => !req.complete && headersSent)) return;
    const whole = unfinished.findLast(({ req }) => req.complete);
    if (whole === undefined) callback();
    else
      whole.once('finish', () => {
        this.afterWhole(socket, callback);
      });
  }

  private of(socket: Duplex): ServerResponse[] {
    return this.open.get(socket)?.filter(({ writableFinished }) => !writableFinished) ?? [];
  }
}

function toRefusal({ code, reason = 'it cannot be read' }: NodeJS.ErrnoException & { reason?: string }): Refusal {
  switch (code) {
    case TIMED_OUT:
      return new Refusal(ErrorNumber.requestTimeout, 'the request took too long to arrive');
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(ErrorNumber.headersTooLarge, 'the header fields are larger than 16 KiB');
    default:
      return new Refusal(ErrorNumber.malformedMessage, `the HTTP message is malformed: ${reason}`);
  }
}

async function bind(server: Server, host: string, port: number): Promise<void> {
  const listening = once(server, 'listening');
  server.listen(port, host);
  try {
    await listening;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const where = `port ${String(port)} of ${host}`;
    if (code === 'EADDRINUSE') throw new ListenError(`${where} is in use: choose another one, or stop what uses it`);
    if (code === 'EACCES') throw new ListenError(`${where} may not be used by this user: choose one from 1024 on`);
    throw new ListenError(`${where} cannot be listened on: ${message}`);
  }
}

function announceEnd(response: ServerResponse): void {
  if (response.headersSent) return;
  response.setHeader('Connection', 'close');
  endAfter(response.req);
}

async function stop(server: Server, replies: Replies, withinMs: number): Promise<void> {
  const closed = once(server, 'close');
  // http.Server's own close() cuts connections without a request at once, with one that is just arriving.
  NetServer.prototype.close.call(server);
  // Not to the others: nothing that is behind them would be answered.
  replies.last().forEach(announceEnd);
  const farewell = setInterval(() => {
    server.closeIdleConnections();
  }, FAREWELL_MS);
  const deadline = setTimeout(() => {
    server.closeAllConnections();
  }, withinMs);
  await closed;
  clearInterval(farewell);
  clearTimeout(deadline);
}
