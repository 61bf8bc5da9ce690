import { randomUUID } from 'node:crypto';
import type { Server } from 'node:http';
import type { Logger } from 'pino';
import { ErrorNumber, Refusal } from 'trellis-contract/ground';
import type { TellFailure } from 'trellis-contract';
import { MAX } from './bounds.ts';
import type { Connection } from './connection.ts';
import type { Ledger } from './ledger.ts';
import { http, isOtherVersion } from './node-http.ts';
import { otherVersion } from './request-target.ts';

/** Node makes no response object for bytes that it cannot read as a request. @returns a function that answers them */
export function refuseUnreadable(
  server: Server,
  ledger: Ledger,
  logger: Logger,
  onUnreadable: ((refusal: Refusal) => void) | undefined,
  tell: TellFailure,
): (connection: Connection, refusal: Refusal) => void {
  const refuse = (connection: Connection, refusal: Refusal): void => {
    const { socket, address } = connection;
    // Otherwise a late rest of the request could still reach the operation.
    if (refusal.number === ErrorNumber.requestTimeout) socket.pause();
    // Node reports each further fault too.
    if (connection.unreadable) return;
    connection.unreadable = true;
    connection.afterWhole(() => {
      // No answer is possible: the client is gone, or a reply has ended the connection.
      if (!socket.writable) return;
      const { status, number, message } = refusal;
      // Node has read no header that could name the request.
      const requestId = randomUUID();
      const { text, cause } = tell(refusal, requestId);
      const line = { requestId, client: address, status, error: number, reason: message, err: cause };
      logger[cause === undefined ? 'info' : 'error'](line, 'unreadable request');
      onUnreadable?.(refusal);
      socket.write(inText(refusal, requestId, text));
      connection.endSoon();
    });
  };
  /** The line in which Node's limit was reached, from the character before the limit, and shortened. */
  const lines = new WeakMap<Connection, string>();
  /**
   * Node does not say whether it was reading the target, but reports the bytes that arrive later: the end of the line
   * shows it. If the line never ends, Node reports the timeout of DEADLINE.head.
   */
  const refuseLong = (connection: Connection, { rawPacket, bytesParsed = 0 }: ParseError) => {
    const known = lines.get(connection);
    const text = rawPacket?.toString('latin1') ?? '';
    const rest = known === undefined ? text.slice(Math.max(0, bytesParsed - 1)) : text;
    const [line = '', ...more] = `${known ?? ''}${rest}`.split('\n', 2);
    if (known === undefined && FIELD.test(text.slice(0, bytesParsed))) refuse(connection, headTooLarge);
    else if (more.length > 0) refuse(connection, REQUEST_LINE.test(line) ? targetTooLong : headTooLarge);
    else lines.set(connection, line.replace(/^[^ ]+(?=[^ ])/, '').slice(0, MAX_END));
  };
  server.on('clientError', (error: ParseError, socket) => {
    const connection = ledger.of(socket);
    if (connection === undefined) socket.destroy();
    else if (error.code === 'HPE_HEADER_OVERFLOW') refuseLong(connection, error);
    else refuse(connection, refusalOf(error));
  });
  server.on('connect', ({ socket }) => {
    // Node has removed its own listener: without one, a reset by the client would end the process.
    socket.on('error', () => undefined);
    const connection = ledger.of(socket);
    if (connection === undefined) socket.destroy();
    else refuse(connection, new Refusal(ErrorNumber.malformedMessage, 'the method CONNECT is not supported'));
  });
  return refuse;
}

export const tooSlow = new Refusal(ErrorNumber.requestTimeout, 'the request took too long to arrive');
const MOST = `${MAX.headBytes / 1024} KiB`;
const targetTooLong = new Refusal(
  ErrorNumber.targetTooLong,
  `the request target is too long: with its header fields it may have ${MOST}`,
);
const headTooLarge = new Refusal(
  ErrorNumber.headersTooLarge,
  `the request has more than ${MAX.fields} header fields, or its target and header fields take more than ${MOST}`,
);

/** The end of the first line of a request, from within its target. A word that ends with a colon names a header field. */
const REQUEST_LINE = /^(?:[^ ]*[^ :])? HTTP\/\d\.\d\r?$/;
/** One character more than the end of a request line can have: a longer text is none. */
const MAX_END = 'x HTTP/1.1\r\n'.length;
/** A header field that begins after a line. Node does not give the bytes of a field that began in an earlier packet. */
const FIELD = /\n[\w!#$%&'*+.^`|~-]+:.*$/;

/** See https://nodejs.org/api/http.html#event-clienterror. */
interface ParseError extends NodeJS.ErrnoException {
  readonly reason?: string;
  /** The bytes that arrived last, and how many of them Node has parsed. */
  readonly rawPacket?: Buffer;
  readonly bytesParsed?: number;
}

function refusalOf(error: ParseError): Refusal {
  const { code, reason = 'it cannot be read' } = error;
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return tooSlow;
  if (isOtherVersion(error)) return otherVersion;
  return new Refusal(ErrorNumber.malformedMessage, `the HTTP message is malformed: ${reason}`);
}

function inText(refusal: Refusal, requestId: string, body = ''): string {
  const head = [
    `HTTP/1.1 ${refusal.status} ${http.STATUS_CODES[refusal.status] ?? ''}`,
    ...(body === '' ? [] : ['Content-Type: application/json']),
    `X-Request-Id: ${requestId}`,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
