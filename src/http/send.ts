import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Response } from 'express';
import { announcesBody } from './body.ts';
import type { Refusal } from '../contract/errors.ts';
import type { ErrorBody } from '../contract/types.ts';

/** How long a client may go on sending what nobody reads, in milliseconds. */
const LINGER_MS = 500;

/** Connections that end with an answer, and how many requests have come behind it. */
const ending = new WeakMap<Duplex, number>();

/** Has a connection end with the answer to this request: no further one on it is to be processed (RFC 9112, 9.6). */
export function endAfter({ socket }: IncomingMessage): void {
  ending.set(socket, 0);
}

export function isEnding({ socket }: IncomingMessage): boolean {
  return ending.has(socket);
}

/** Counts a request that is not processed, as its connection ends. */
export function ignored({ socket }: IncomingMessage): number {
  const count = (ending.get(socket) ?? 0) + 1;
  ending.set(socket, count);
  return count;
}

/** Header fields by name; those that are undefined are not sent. */
export type HeaderValues = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** Has the reply carry header fields (name, value, name, value), whoever sends it: of a failure too. */
export function addFields({ locals }: Response, fields: readonly string[]): void {
  locals.fields = locals.fields === undefined ? fields : [...locals.fields, ...fields];
}

/** Sends a reply. A body that is a string goes out with the header, in one write. */
export function send(
  response: Response,
  status: number,
  headers: HeaderValues,
  mediaType?: string,
  body?: string | Buffer,
): void {
  const { requestId, fields: added } = response.locals;
  const fields = ['X-Request-Id', requestId];
  if (added !== undefined) fields.push(...added);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) fields.push(name, String(value));
  if (mediaType !== undefined) fields.push('Content-Type', mediaType, 'X-Content-Type-Options', 'nosniff');
  // A 204 has no length, not even none (RFC 9110, section 8.6).
  if (status !== 204) fields.push('Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body)));
  if (leaveUnread(response.req)) fields.push('Connection', 'close');
  response.writeHead(status, fields);
  response.end(body);
}

/** Tells the client of a failure, in the shape that the contract has for every failure. */
export function sendRefusal(response: Response, refusal: Refusal): void {
  send(response, refusal.status, refusal.headers, 'application/json', toBody(refusal));
}

/** Tells the client of a message that Node could not read as a request, so that there is no response to do it with. */
export function sendUnreadable(socket: Duplex, refusal: Refusal): void {
  const body = toBody(refusal);
  const head = [
    `HTTP/1.1 ${String(refusal.status)} ${STATUS_CODES[refusal.status] ?? ''}`,
    'Content-Type: application/json',
    `Content-Length: ${String(Buffer.byteLength(body))}`,
    'Connection: close',
  ];
  if (socket.writable) socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
  endSoon(socket);
}

function toBody({ number, message }: Refusal): string {
  return JSON.stringify({ error: number, message } satisfies ErrorBody);
}

/**
 * Leaves a body unread that has not arrived yet: true if there is one. Node would read it to use the connection again,
 * be it 200 MB. The connection must be closed instead: at first for writing, so that the client sees the answer.
 */
export function leaveUnread(request: IncomingMessage): boolean {
  if (request.complete || !announcesBody(request)) return false;
  // Node discards the body of a request only if nobody has begun to read it.
  request.pause();
  request.read(0);
  endAfter(request);
  const { socket } = request;
  // Called by Node when the reply is out; it would reset the connection under a client that still sends.
  socket.destroySoon = () => {
    endSoon(socket);
  };
  return true;
}

function endSoon(socket: Duplex): void {
  socket.end();
  const end = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.once('close', () => {
    clearTimeout(end);
  });
}
