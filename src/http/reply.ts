import { validateHeaderValue } from 'node:http';
import { type ContractOperation, OWN_HEADERS } from '../contract/contract.ts';
import type { Refusal } from '../contract/errors.ts';
import { failureBody, failureType } from '../contract/failures.ts';
import { exactJson } from '../contract/int64.ts';
import type { Context } from './context.ts';

/** Header fields by name; those that are undefined are not sent. */
export type HeaderValues = Readonly<Record<string, string | number | bigint | boolean | undefined>>;

/** What an operation answers, as `Reply` in types.ts has it. */
export interface ReplyData {
  readonly status: number;
  readonly headers?: HeaderValues;
  readonly body?: unknown;
}

/**
 * Holds a reply to the contract, then sends it.
 *
 * @throws Error that names what breaks the contract; nothing is sent then
 */
export function sendReply(context: Context, reply: ReplyData, operation: ContractOperation): void {
  const { status, headers = {}, body } = reply;
  const declared = operation.replies.get(String(status));
  if (declared === undefined)
    throw new Error(`${operation.id} answered ${status}, which the contract does not declare`);
  const { mediaType, content } = declared;
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (OWN_HEADERS.some((own) => own === name.toLowerCase()))
      throw new Error(`${operation.id} answered with ${name}, which the service sends by itself`);
    // What Node would refuse later, with some of the headers set.
    validateHeaderValue(name, String(value));
  }
  operation.validator.reply(status, headers, body);
  // The replacer of exactJson costs time that only replies with an int64 must spend.
  const toJson = content?.position === undefined ? JSON.stringify : exactJson;
  const text = body === undefined ? undefined : toJson(body);
  send(context, status, headers, mediaType, text);
}

/** Sends a reply. A body that is a string goes out with the header, in one write; a Buffer may be shared by many. */
export function send(
  context: Context,
  status: number,
  headers: HeaderValues,
  mediaType?: string,
  body?: string | Buffer,
): void {
  const { response, ledger } = context;
  settleConnection(context);
  const fields = headerFields(context);
  for (const [name, value] of Object.entries(headers)) if (value !== undefined) fields.push(name, String(value));
  if (mediaType !== undefined) fields.push('Content-Type', mediaType, 'X-Content-Type-Options', 'nosniff');
  const length = body === undefined ? 0 : Buffer.byteLength(body);
  // A 204 has no length, not even none; a 304, or a reply to HEAD, would tell that of a body that it does not have (RFC
  // 9110, section 8.6).
  const hasNone = body === undefined && (status === 304 || context.request.method === 'HEAD');
  if (status !== 204 && !hasNone) fields.push('Content-Length', String(length));
  response.writeHead(status, fields);
  if (Buffer.isBuffer(body)) endInParts(context, body, 0);
  else {
    response.end(body);
    // What the system has not taken at once stays in memory until the client takes it.
    if (response.writableLength > 0) ledger.setHeld(context, 'reply', length);
  }
}

/** How much of a Buffer is sent at a time, in bytes: thousands of clients that want a large one must not hold up others. */
const PART_BYTES = 64 * 1024;

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

/**
 * Decides what becomes of the connection behind a reply that is about to begin. A body that has not arrived is not waited
 * for, be it 200 MB: the connection ends then, for writing first, so that the client sees the reply.
 */
export function settleConnection(context: Context): void {
  const { connection, request, body } = context;
  if (body !== undefined && !request.complete) {
    body.drop();
    connection.stopReading();
    connection.endAfter(context);
  } else {
    // A client that still waits to be asked for its body would make Node end the connection.
    context.askForBody();
  }
  if (!context.last) return;
  // Node calls it when the reply is out, and would reset the connection under a client that still sends.
  request.socket.destroySoon = () => {
    connection.endSoon();
  };
}

/** The header fields that each reply has: name, value, name, value. */
export function headerFields({ fields, last }: Context): string[] {
  return last ? [...fields, 'Connection', 'close'] : [...fields];
}

/** Tells the client of a failure, as the contract of the operation has it. */
export function sendRefusal(context: Context, refusal: Refusal): void {
  const mediaType = failureType(context.operation, refusal.status);
  send(context, refusal.status, refusal.headers, mediaType, errorBody(refusal, mediaType));
}

/** The body of a failure. */
export function errorBody({ number, message }: Refusal, mediaType?: string): string {
  return JSON.stringify(failureBody(number, message, mediaType));
}
