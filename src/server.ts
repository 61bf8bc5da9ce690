import { once } from 'node:events';
import type { RequestListener, Server, ServerResponse } from 'node:http';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server as NetServer } from 'node:net';
import type { Duplex } from 'node:stream';
import type { Logger } from 'pino';
import { ErrorNumber, Refusal } from './contract/errors.ts';
import type { ErrorBody } from './contract/types.ts';

const SECOND = 1000;

/** How long connections without a request are kept at the end, in milliseconds: their next one may be on its way. */
const FAREWELL_MS = 500;
/** How long a client may go on sending after it was answered for a message that cannot be read. */
const LINGER_MS = 500;

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
export async function listen(handler: RequestListener, host: string, port: number, logger: Logger): Promise<Listener> {
  const server = createServer(
    {
      headersTimeout: 10 * SECOND,
      requestTimeout: 30 * SECOND,
      connectionsCheckingInterval: SECOND,
      // Longer than proxies commonly keep a connection that they may use again.
      keepAliveTimeout: 65 * SECOND,
      // A field that repeats, but must not, then shows it, instead of losing a value.
      joinDuplicateHeaders: true,
      // Node would answer without a body: the app looks for it.
      requireHostHeader: false,
    },
    handler,
  );
  // Fields beyond a count would be dropped in silence; their size is limited anyway.
  server.maxHeadersCount = 0;
  // Whether the body is wanted is decided by the app, which asks for it (body.ts).
  server.on('checkContinue', handler);
  server.on('checkExpectation', handler);
  const latest = latestReplies(server);
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    const reply = latest.get(socket);
    const answer = () => {
      answerUnreadable(socket, toRefusal(error), logger);
    };
    // Requests that came whole before this one are answered first. A fault in the body of the last is its answer.
    if (reply === undefined || reply.writableFinished || (!reply.req.complete && !reply.headersSent)) answer();
    else if (reply.req.complete) reply.once('finish', answer);
    else socket.destroy();
  });
  server.on('connect', (_request, socket) => {
    answerUnreadable(socket, new Refusal(ErrorNumber.malformedMessage, 'CONNECT is not for this service'), logger);
  });
  await bind(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${String(address.port)}`,
    stop: (withinMs) => stop(server, latest, withinMs),
  };
}

/** By connection, the reply to the request that came last on it. */
function latestReplies(server: Server): ReadonlyMap<Duplex, ServerResponse> {
  const latest = new Map<Duplex, ServerResponse>();
  server.on('connection', (socket) => {
    socket.once('close', () => latest.delete(socket));
  });
  server.prependListener('request', (request, response) => latest.set(request.socket, response));
  server.prependListener('checkContinue', (request, response) => latest.set(request.socket, response));
  return latest;
}

function toRefusal({ code }: NodeJS.ErrnoException): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new Refusal(ErrorNumber.requestTimeout, 'the request took too long to arrive');
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(ErrorNumber.headersTooLarge, 'the header fields are larger than 16 KiB');
    default:
      return new Refusal(ErrorNumber.malformedMessage, `the HTTP message is malformed (${code ?? 'unknown fault'})`);
  }
}

/** Answers what Node could not read as a request, so that there is no response to do it with. */
function answerUnreadable(socket: Duplex, refusal: Refusal, logger: Logger): void {
  const { status, number, message } = refusal;
  logger.info({ status, error: number, reason: message }, 'unreadable request');
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const body = JSON.stringify({ error: number, message } satisfies ErrorBody);
  const head = [
    `HTTP/1.1 ${String(status)} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
  const end = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(end);
  });
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

async function stop(server: Server, latest: ReadonlyMap<Duplex, ServerResponse>, withinMs: number): Promise<void> {
  const closed = once(server, 'close');
  // http.Server's own close() cuts connections without a request at once, with one that is just arriving.
  NetServer.prototype.close.call(server);
  const lastReply = (response: ServerResponse) => {
    if (!response.headersSent) response.setHeader('Connection', 'close');
  };
  for (const response of latest.values()) lastReply(response);
  server.prependListener('request', (_request, response) => {
    lastReply(response);
  });
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
