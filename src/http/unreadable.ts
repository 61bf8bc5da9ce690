import { type Server, STATUS_CODES } from 'node:http';
import type { Logger } from 'pino';
import { ErrorNumber, Refusal } from '../contract/errors.ts';
import { MAX } from './bounds.ts';
import type { Connection, Exchange } from './connection.ts';
import type { Ledger } from './ledger.ts';
import { errorBody } from './reply.ts';

/**
 * Answers clients whose message Node cannot read as a request, for which Node makes no response.
 *
 * @param onUnreadable called with the status of each such answer
 * @returns a function that refuses what a client sends on a connection
 */
export function refuseUnreadable<E extends Exchange>(
  server: Server,
  ledger: Ledger<E>,
  logger: Logger,
  onUnreadable: ((status: number) => void) | undefined,
): (connection: Connection, refusal: Refusal) => void {
  const refuse = (connection: Connection, refusal: Refusal): void => {
    const { socket, address } = connection;
    // What comes too late is not done after all.
    if (refusal.number === ErrorNumber.requestTimeout) socket.pause();
    // Node reports what comes after the first fault as well.
    if (connection.unreadable) return;
    connection.unreadable = true;
    connection.afterWhole(() => {
      // A connection that is gone wants no answer, nor does one that a reply has ended.
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
    // Node has taken its own listener off: a client that resets its connection would end the process.
    socket.on('error', () => undefined);
    const connection = ledger.of(socket);
    if (connection === undefined) socket.destroy();
    else refuse(connection, new Refusal(ErrorNumber.malformedMessage, 'CONNECT is not for this service'));
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
        `the header fields are more than ${MAX.fields}, or larger than ${MAX.headBytes / 1024} KiB`,
      );
    default:
      return new Refusal(ErrorNumber.malformedMessage, `the HTTP message is malformed: ${reason}`);
  }
}

/** A refusal as the bytes of a whole reply. */
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
