import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerOptions, type ServerResponse } from 'node:http';
import { type AddressInfo, Server as NetServer } from 'node:net';
import type { Logger } from 'pino';
import { ExplainedError } from '../explained-error.ts';
import { DEADLINE, MAX } from './bounds.ts';
import type { Exchange } from './connection.ts';
import { type EnteredExchange, Ledger, type OnCutOff } from './ledger.ts';
import { refuseUnreadable, tooSlow } from './unreadable.ts';

/** How long connections without a request are kept at the end, in milliseconds: their next one may be on its way. */
const FAREWELL_MS = 500;

/** How often deadlines are looked at, in milliseconds. */
const SWEEP_MS = 1000;

/** How many connections may wait to be accepted: a crowd that comes back at once should not have to try again. */
const BACKLOG = 4096;

/** A server that listens. */
export interface Listener {
  /** Where it listens, such as `http://127.0.0.1:3000`. */
  readonly url: string;
  /** Stops accepting, answers what is under way, closes. What is not answered by then is cut off. */
  stop(withinMs: number): Promise<void>;
}

/** What answers the requests that a listener takes in. */
export interface Application<E extends Exchange> {
  readonly handle: (exchange: E) => void;
  /** What an exchange is constructed of. */
  readonly Exchange: new (parts: EnteredExchange) => E;
  /** What requests and replies are constructed of; by default Node's. */
  readonly classes?: Pick<ServerOptions, 'IncomingMessage' | 'ServerResponse'>;
}

export interface ListenOptions {
  /** Called with the status of the answer whenever something came that Node could not read as a request. */
  readonly onUnreadable?: ((status: number) => void) | undefined;
  /** Called with the reason whenever a connection is cut off. */
  readonly onCutOff?: OnCutOff | undefined;
}

/** @throws ExplainedError if the address cannot be listened on */
export async function listen<E extends Exchange>(
  { handle, Exchange, classes }: Application<E>,
  host: string,
  port: number,
  logger: Logger,
  { onUnreadable, onCutOff }: ListenOptions = {},
): Promise<Listener> {
  const server = createServer({
    ...classes,
    maxHeaderSize: MAX.headBytes,
    headersTimeout: DEADLINE.head,
    requestTimeout: DEADLINE.request,
    connectionsCheckingInterval: SWEEP_MS,
    keepAliveTimeout: DEADLINE.idle,
    // A field that repeats, but must not, then shows it, instead of losing a value.
    joinDuplicateHeaders: true,
    // Node would answer without a body: the app looks for it.
    requireHostHeader: false,
  });
  server.maxHeadersCount = MAX.fields;
  // A client that has said all that it has to say still gets its answer.
  Object.assign(server, { httpAllowHalfOpen: true });
  const ledger = new Ledger(Exchange, logger, onCutOff);
  server.on('connection', (socket) => {
    ledger.add(socket);
  });
  const begin = (request: IncomingMessage, response: ServerResponse, expectsContinue: boolean) => {
    const exchange = ledger.begin(request, response, expectsContinue);
    if (exchange === undefined) return;
    // Node loses the rest of the packet behind a request that offers another protocol, and takes what comes next for the
    // start of a request, be it the middle of one.
    if (ledger.stopping || request.headers.upgrade !== undefined) exchange.connection.endAfter(exchange);
    handle(exchange);
  };
  server.on('request', (request, response) => {
    begin(request, response, false);
  });
  // Node leaves it to the app whether a body is wanted: readBody asks for it.
  server.on('checkContinue', (request, response) => {
    begin(request, response, true);
  });
  server.on('checkExpectation', (request, response) => {
    begin(request, response, false);
  });
  const refuse = refuseUnreadable(server, ledger, logger, onUnreadable);
  const sweep = setInterval(() => {
    ledger.sweep((connection) => {
      if (connection.phase === 'body') refuse(connection, tooSlow());
      else ledger.cutOff(connection, 'unread');
    });
  }, SWEEP_MS).unref();
  server.once('close', () => {
    clearInterval(sweep);
  });
  await bind(server, host, port);
  const address = server.address() as AddressInfo;
  return {
    url: `http://${address.family === 'IPv6' ? `[${address.address}]` : address.address}:${address.port}`,
    stop: (withinMs) => {
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
    if (code === 'EADDRINUSE') throw new ExplainedError(`${where} is in use: choose another one, or stop what uses it`);
    if (code === 'EACCES') throw new ExplainedError(`${where} may not be used by this user: choose one from 1024 on`);
    throw new ExplainedError(`${where} cannot be listened on: ${message}`);
  }
}

async function stop(server: Server, ledger: Pick<Ledger, 'all'>, withinMs: number): Promise<void> {
  const closed = once(server, 'close');
  // http.Server's own close() cuts connections without a request at once, with one that is just arriving.
  NetServer.prototype.close.call(server);
  // The last one only: nothing that is behind it would be answered.
  for (const connection of ledger.all()) {
    const last = connection.exchanges.at(-1);
    if (last !== undefined) connection.endAfter(last);
  }
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
