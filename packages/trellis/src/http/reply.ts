import { type HeaderValues, type TellFailure, tooLong } from 'trellis-contract';
import { messageOf, type Refusal, withChallenges } from 'trellis-contract/ground';
import { MAX } from './bounds.ts';
import type { Context } from './context.ts';
import { endInstead } from './node-http.ts';

/**
 * @param body a Buffer is one that replies share, such as a page
 * @throws Error or Refusal, before anything is sent, if any other body is too large, or there is no room for it
 */
export function send(
  context: Context,
  status: number,
  headers: HeaderValues,
  mediaType?: string,
  body?: string | Uint8Array,
): void {
  const { request, response, ledger } = context;
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  if (body !== undefined && !Buffer.isBuffer(body) && length > PART_BYTES) {
    if (length > MAX.reply) throw tooLong();
    if (request.method !== 'HEAD') ledger.makeRoom(length);
  }
  settleConnection(context);
  // Name, value, name, value.
  const fields = context.last ? [...context.fields, 'Connection', 'close'] : [...context.fields];
  let isAscii = true;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    const field = fieldOf(value);
    isAscii &&= field === String(value);
    // writeHead replaces a field that is set already, and cors.ts and files.ts set Vary.
    const others = name.toLowerCase() === 'vary' ? response.getHeader(name) : undefined;
    fields.push(name, others === undefined ? field : `${String(others)}, ${field}`);
  }
  if (mediaType !== undefined) fields.push('Content-Type', mediaType, 'X-Content-Type-Options', 'nosniff');
  // A 204 must not have a Content-Length; a 304 and a reply to HEAD may have only the Content-Length of the reply to
  // GET (RFC 9110, section 8.6).
  const hasNone = body === undefined && (status === 304 || request.method === 'HEAD');
  if (status !== 204 && !hasNone) fields.push('Content-Length', String(length));
  response.writeHead(status, fields);
  if (Buffer.isBuffer(body)) endInParts(context, body, 0);
  else {
    // Node writes the head in the encoding of the body.
    if (isAscii || typeof body !== 'string') response.end(body);
    else response.end(inBytes(body), 'latin1');
    if (response.writableLength > 0) {
      context.repliedAt = performance.now();
      ledger.setHeld(context, 'reply', length);
    }
  }
}

/** The value of a header field. For text beyond ASCII it has a character for each byte of UTF-8. */
export function fieldOf(value: unknown): string {
  const text = String(value);
  if (/^\p{ASCII}*$/u.test(text)) return text;
  if (!text.isWellFormed()) throw new Error('a header field has a lone surrogate, which UTF-8 cannot express');
  return inBytes(text);
}

function inBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/**
 * A Buffer is sent in parts of this size, so that thousands of requests for a large page do not hold up others. With parts
 * of 64 KiB, a thousand requests for Swagger UI made one of a hundred creates take 2.6 s (`test:attacks`).
 */
const PART_BYTES = 16 * 1024;

function endInParts(context: Context, bytes: Buffer, start: number): void {
  const end = start + PART_BYTES;
  const { response, ledger } = context;
  if (end >= bytes.length) response.end(bytes.subarray(start));
  else
    ledger.later(() => {
      response.write(bytes.subarray(start, end), (error) => {
        if (error == null) endInParts(context, bytes, end);
      });
    });
}

/** If the body has not arrived when the reply begins, the connection ends after the reply. */
function settleConnection(context: Context): void {
  const { connection, request, body } = context;
  if (body !== undefined && !request.complete) {
    body.drop();
    connection.stopReading();
    connection.endAfter(context);
  } else {
    // Node would end the connection of a client that still waits for `100 Continue`.
    context.askForBody();
  }
  if (!context.last) return;
  endInstead(request.socket, () => connection.endSoon());
}

export function sendRefusal(context: Context, refusal: Refusal, tell: TellFailure): void {
  const { mediaType, text, cause } = tell(refusal, context.requestId, context.operation);
  if (cause !== undefined) {
    const failures = context.failure === undefined ? [cause] : [context.failure, cause];
    context.failure = new AggregateError(failures, `no body was sent: ${failures.map(messageOf).join('; ')}`);
  }
  const headers = withChallenges(refusal.headers, context.operation?.carriers ?? []);
  try {
    send(context, refusal.status, headers, mediaType, text);
  } catch (error) {
    // A body of the service may be too long, or find no room: the status says most.
    if (context.response.headersSent || text === undefined) throw error;
    context.failure ??= error;
    send(context, refusal.status, headers);
  }
}
