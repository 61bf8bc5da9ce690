import { once } from 'node:events';
import type { RequestListener, Server, ServerOptions, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { expectContinue } from './body.ts';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { onRequest, Replies } from './replies.ts';
import { endAfter, ignored, isEnding, sendUnreadable } from './send.ts';

const SECOND = 1000;

/** How long connections without a request are kept at the end, in milliseconds: their next one may be on its way. */
const FAREWELL_MS = 500;

/** How many connections may wait to be accepted: a crowd that comes back at once should not have to try again. */
const BACKLOG = 4096;

/** How many requests may come behind the answer that ends a connection before it is cut off. */
const MOST_IGNORED = 100;

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

export interface ListenOptions {
  /** What requests and replies are constructed of. */
  readonly classes?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
  /** Called with the status of the answer whenever something came that Node could not read as a request. */
  readonly onUnreadable?: ((status: number) => void) | undefined;
}

/** @throws ListenError */
export async function listen(
  handler: RequestListener,
  host: string,
  port: number,
  logger: Logger,
  { classes = {}, onUnreadable }: ListenOptions = {},
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
    if (request.socket.destroyed) {
      stopParsing(request.socket);
      return;
    }
    if (isEnding(request)) {
      // Node reads on, 2 MB at a time, and keeps every request until the replies before it are out.
      if (!stopping && ignored(request) > MOST_IGNORED) request.socket.destroy();
      return;
    }
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
      onUnreadable?.(refusal.status);
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

/**
 * Of what came in one packet Node would still report the rest, some thousand requests, and keep them until all other
 * connections have been read too: a crowd that is cut off would fill the memory. Only its own parser can be told: 2 is
 * what it takes for the end of HTTP on this connection.
 */
function stopParsing(socket: Socket): void {
  const { parser } = socket as Socket & { readonly parser?: { onIncoming: () => number } | null };
  if (parser) parser.onIncoming = () => 2;
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
  server.listen(port, host, BACKLOG);
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
