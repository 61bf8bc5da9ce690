import {
  type ContractOperation,
  type HeaderValues,
  OWN_HEADERS,
  type ReadRequest,
  type ReplyData,
  requireValid,
  returnedFor,
  workFor,
} from 'trellis-contract';
import type { Context } from './context.ts';
import { isKnown } from './entity-tag.ts';
import { http } from './node-http.ts';
import { fieldOf } from './reply.ts';
import type { Stage } from './stage.ts';

// The two middlewares that run the validators which express-openapi-validator has compiled (trellis-contract, validator/).
// Its own middleware would match the path a second time, parse the body, and hook into the response: the service
// makes 1.4 to 2.1 times as many creates as the peer of that name in `npm run bench`, on the same store.

/**
 * Holds a request to the contract, fills in its defaults, and leaves out what no schema names.
 *
 * @throws Refusal, by the middleware: 400 with the faults
 */
export const requestValidator = (operation: ContractOperation): Stage<ReadRequest, ReadRequest> =>
  function validateRequest(_context, read) {
    requireValid(read, operation);
    return read;
  };

/**
 * Holds a reply to the contract. A client that has the reply already gets a 304, if the contract declares one.
 *
 * @throws Error, by the middleware: 500, and the log says how the reply breaks the contract
 */
export const replyValidator = (operation: ContractOperation): Stage<ReplyData | undefined, ReplyData> =>
  function validateReply(context, returned) {
    if (returned === undefined) throw new Error(`${operation.id} returned undefined, which is no reply`);
    const reply = validated(returned, operation);
    const kept = notModified(context, reply, operation);
    return kept === undefined ? reply : validated({ status: 304, headers: kept }, operation);
  };

/** @returns copies, so that a getter or a Proxy has nothing more to say when they are written */
function validated({ status, headers: fields, body: returned }: ReplyData, operation: ContractOperation): ReplyData {
  if (typeof status !== 'number') throw new Error(`${operation.id} answered a status that is no number`);
  const declared = returnedFor(operation.replies, status);
  if (declared === undefined)
    throw new Error(`${operation.id} answered ${status}, which the contract does not declare`);
  const headers: HeaderValues =
    fields === undefined ? {} : asDeclared(fields, Object.keys(declared.headers), operation);
  for (const [name, value] of Object.entries(headers)) {
    if (value === undefined) continue;
    if (OWN_HEADERS.some((own) => own === name.toLowerCase()))
      throw new Error(`${operation.id} answered with the header ${name}, which the service itself sends: leave it out`);
    // To make a text of an array may take all memory.
    if (['object', 'function', 'symbol'].includes(typeof value))
      throw new Error(`${operation.id} answered with the header ${name}, which is no text, number or boolean`);
    // Otherwise Node would throw later, with some of the headers set.
    http.validateHeaderValue(name, fieldOf(value));
  }
  const { body, work } = declared.content?.sent(returned) ?? { body: returned, work: workFor(0) };
  operation.validator.reply(status, headers, body, work);
  return { status, headers, body };
}

/** @returns a copy whose names are as the contract declares them: their case means nothing (RFC 9110, section 5.1) */
function asDeclared(fields: HeaderValues, names: readonly string[], { id }: ContractOperation): HeaderValues {
  const headers: Record<string, HeaderValues[string]> = {};
  for (const [name, value] of Object.entries(fields)) {
    const own = names.find((each) => each.toLowerCase() === name.toLowerCase()) ?? name;
    if (value === undefined) continue;
    if (Object.hasOwn(headers, own)) throw new Error(`${id} answered with the header ${own} twice, in other letters`);
    headers[own] = value;
  }
  return headers;
}

/** @returns the header fields of a 304, if the operation declares it and the client has the reply already */
function notModified(
  { request }: Context,
  { status, headers = {} }: ReplyData,
  { replies }: ContractOperation,
): HeaderValues | undefined {
  const known = request.headers['if-none-match'];
  const declared = replies.get('304');
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  if (known === undefined || declared === undefined || status !== 200 || !isRead) return undefined;
  const fields = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  const tag = fields.get('etag');
  if (typeof tag !== 'string' || !isKnown(known, tag)) return undefined;
  return Object.fromEntries(Object.keys(declared.headers).map((name) => [name, fields.get(name.toLowerCase())]));
}
