import { type Server, STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { MAX } from './bounds.ts';
import type { Connection, Exchange } from './connection.ts';
import type { Ledger } from './ledger.ts';
import { errorBody } from './reply.ts';

/** Node makes no response object for bytes that it cannot read as a request. @returns a function that answers them */
export function refuseUnreadable<E extends Exchange>(
  server: Server,
  ledger: Ledger<E>,
  logger: Logger,
  onUnreadable: ((status: number) => void) | undefined,
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
      logger.info({ client: address, status, error: number, reason: message }, 'unreadable request');
      onUnreadable?.(status);
      socket.write(inText(refusal));
      connection.endSoon();
    });
  };
  server.on('clientError', (error, socket) => {
    const connection = ledger.of(socket);
    if (connection === undefined) socket.destroy();
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

export function tooSlow(): Refusal {
  return new Refusal(ErrorNumber.requestTimeout, 'the request took too long to arrive');
}

function refusalOf({ code, reason = 'it cannot be read' }: NodeJS.ErrnoException & { reason?: string }): Refusal {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return tooSlow();
    case 'HPE_HEADER_OVERFLOW':
      return new Refusal(
        ErrorNumber.headersTooLarge,
        `the request has more than ${MAX.fields} header fields, or more than ${MAX.headBytes / 1024} KiB of them`,
      );
    default:
      return new Refusal(ErrorNumber.malformedMessage, `the HTTP message is malformed: ${reason}`);
  }
}

/** The whole reply. */
function inText(refusal: Refusal): string {
  const body = errorBody(refusal);
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
