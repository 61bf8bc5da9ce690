import {
  type AnySchema,
  type Content,
  type Follow,
  type Header,
  type Parameter,
  refuse,
  type Resolve,
  type Response,
} from '../schema/document.ts';
import { ownJson, sendable } from '../schema/int64.ts';
import { numbersIn } from '../schema/numbers.ts';
import { FIELD_NAME, TOKEN } from '../rules/field-values.ts';
import { valuesSchema } from './parameters.ts';
import { Position } from '../schema/positions.ts';
import { type Sent, senderOf } from './sent.ts';

// What messages have beside their parameters: bodies, and the header fields of replies.

export interface ContractContent {
  readonly schema: AnySchema;
  /** undefined: the value holds no default, and all its numbers are doubles. */
  readonly position: Position | undefined;
}

/** In replies, a content without a position holds no number. */
interface ReplyContent extends ContractContent {
  /**
   * Makes the body to send: the declared members of what an operation returned, each number with its declared type.
   *
   * @throws Overspent, or Error for a body that is too long
   */
  readonly sent: (body: unknown) => Sent;
  /** Writes the result of `sent` as JSON, and may change it. */
  readonly toJson: (body: unknown) => string;
}

export interface ContractReply {
  readonly mediaType: string | undefined;
  readonly content: ReplyContent | undefined;
  readonly headers: Readonly<Record<string, Header>>;
}

/** The service adds these to replies; an operation must not. */
export const OWN_HEADERS = ['x-request-id', 'ratelimit', 'ratelimit-policy'] as const;

/** Fields of a reply that HTTP (RFC 9110 and 9112) or the service's settings decide on, and no operation. */
const FIELDS_OF_HTTP =
  /^(?:connection|proxy-connection|keep-alive|upgrade|te|trailer|transfer-encoding|content-length|content-encoding|date|x-content-type-options|access-control-.*)$/i;

/** The reply that the contract declares for a status by its number, or by its range. */
export function declaredFor<T>(replies: ReadonlyMap<string, T>, status: number | string): T | undefined {
  return replies.get(String(status)) ?? replies.get(`${String(status).slice(0, 1)}XX`);
}

/** The same, or the reply that the contract declares as `default`. */
export function replyFor<T>(replies: ReadonlyMap<string, T>, status: number | string): T | undefined {
  return declaredFor(replies, status) ?? replies.get('default');
}

/** @throws ContractError */
export function readReply(
  status: string,
  response: Response,
  resolve: Resolve,
  follow: Follow,
  where: string,
): ContractReply {
  if (!/^(?:[2-5](?:\d\d|XX)|default)$/.test(status))
    refuse(response, where, 'declare each status by its number, as a range such as 4XX, or as default');
  const { content = {}, headers = {} } = response;
  const [body, ...others] = readContent(content, where);
  if (others.length > 0) refuse(content, where, 'a reply can have only one media type: leave the others out');
  if (body !== undefined && /^(?:20[45]|304)$/.test(status))
    refuse(content, where, 'a reply with this status has no body: leave content out');
  const fields = Object.entries(headers).map(([name, header]) => [name, resolve(header)] as const);
  for (const [name, header] of fields) {
    if (!TOKEN.test(name)) refuse(header, where, `the name ${name} is not valid for a header field: ${FIELD_NAME}`);
    if (/^content-type$/i.test(name)) refuse(header, where, 'OpenAPI ignores the header Content-Type: leave it out');
    if (FIELDS_OF_HTTP.test(name))
      refuse(
        header,
        where,
        `the header ${name} is for HTTP and the service to send, not for an operation: leave it out`,
      );
    const same = Object.keys(headers).find((each) => each !== name && each.toLowerCase() === name.toLowerCase());
    if (same !== undefined) refuse(header, where, `the headers ${name} and ${same} are the same: leave one out`);
    if (header.required && /^ratelimit(-policy)?$/i.test(name) && status !== '429')
      refuse(header, where, `the header ${name} is sent only where RATE_LIMIT is set: leave out required`);
    const { types } = new Position(header.schema, follow);
    if (['array', 'object', 'null'].some((type) => types.has(type)))
      refuse(header, where, `the header ${name} must be a string, a number, an integer or a boolean`);
  }
  return { mediaType: body?.[0], content: body && replyOf(body[1], follow), headers: Object.fromEntries(fields) };
}

/** @returns the schemas by media type */
function readContent(content: Content, where: string): Map<string, AnySchema> {
  const read = new Map(
    Object.entries(content).map(([type, media]) => {
      if ((media.schema as unknown) === undefined) refuse(media, where, `${type} must have a schema`);
      // The only parameter is charset=utf-8, which JSON has anyway (RFC 8259).
      return [type.replace(/;.*/, ''), media.schema];
    }),
  );
  if (read.size < Object.keys(content).length) refuse(content, where, 'two media types are the same: leave one out');
  return read;
}

/** @returns what a request may have as its body, by media type @throws ContractError */
export function bodiesOf(content: Content, follow: Follow, where: string): ReadonlyMap<string, ContractContent> {
  return new Map(Array.from(readContent(content, where), ([type, schema]) => [type, bodyOf(schema, follow)] as const));
}

/** The parameters of a request, as one value. */
export function valuesOf(parameters: readonly Parameter[], follow: Follow): ContractContent {
  const schema = valuesSchema(parameters);
  const position = new Position(schema, follow);
  return { schema, position: position.mayFillIn ? position : undefined };
}

function bodyOf(schema: AnySchema, follow: Follow): ContractContent {
  const position = new Position(schema, follow);
  const matters = position.mayFillIn || numbersIn(schema, follow) === 'bigint';
  return { schema, position: matters ? position : undefined };
}

function replyOf(schema: AnySchema, follow: Follow): ReplyContent {
  const numbers = numbersIn(schema, follow);
  const sent = senderOf(follow);
  const position = numbers === 'none' ? undefined : new Position(schema, follow);
  return {
    schema,
    position,
    sent: (body) => sent(body, schema, position),
    // JSON.stringify alone cannot write a bigint, and is faster.
    toJson: (body) => sendable(numbers === 'bigint' ? ownJson(body) : JSON.stringify(body)),
  };
}
