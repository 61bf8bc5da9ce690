import type { IncomingMessage, ServerResponse } from 'node:http';
import { announcesBody } from './body.ts';
import type { Refusal } from './errors.ts';
import type { ErrorBody } from './types.ts';

/** How long a client may go on sending what nobody reads, in milliseconds. */
const LINGER_MS = 500;

/** Header fields by name; those that are undefined are not sent. */
export type HeaderValues = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** Sends a reply: header and body in one write, as the body is a string. */
export function send(
  response: ServerResponse,
  status: number,
  headers: HeaderValues,
  mediaType?: string,
  body?: string,
): void {
  const fields: string[] = [];
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) fields.push(name, String(value));
  if (mediaType !== undefined) fields.push('Content-Type', mediaType, 'X-Content-Type-Options', 'nosniff');
  // A 204 has no length, not even none (RFC 9110, section 8.6).
  if (status !== 204) fields.push('Content-Length', String(body === undefined ? 0 : Buffer.byteLength(body)));
  if (!response.req.complete && announcesBody(response.req)) closeUnread(response.req, fields);
  response.writeHead(status, fields);
  response.end(body);
}

/** Tells the client of a failure, in the shape that the contract has for every failure. */
export function sendRefusal(response: ServerResponse, refusal: Refusal): void {
  const body: ErrorBody = { error: refusal.number, message: refusal.message };
  send(response, refusal.status, refusal.headers, 'application/json', JSON.stringify(body));
}

/**
 * Answers before the body has arrived. Node would read the rest to reuse the connection, be it 200 MB; instead it is
 * left unread, the connection is closed for writing, so that the client sees the answer, and ended soon after.
 */
function closeUnread(request: IncomingMessage, fields: string[]): void {
  fields.push('Connection', 'close');
  // Node discards the body of a request only if nobody has begun to read it.
  request.pause();
  request.read(0);
  const { socket } = request;
  // Called by Node when the reply is out; it would reset the connection under a client that still sends.
  socket.destroySoon = () => {
    socket.end();
    const end = setTimeout(() => socket.destroy(), LINGER_MS);
    socket.once('close', () => {
      clearTimeout(end);
    });
  };
}
