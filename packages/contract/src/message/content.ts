import { types as nodeTypes } from 'node:util';
import {
  type AnySchema,
  type Content,
  type Follow,
  type Header,
  type Media,
  type Parameter,
  refuse,
  type Resolve,
  type Response,
} from '../schema/document.ts';
import { ownJson, sendable, wellFormed } from '../schema/int64.ts';
import { numbersIn } from '../schema/numbers.ts';
import { workFor } from '../schema/budget.ts';
import { inPlace, TYPES, joined } from '../schema/subschemas.ts';
import { MAX_REPLY_BYTES } from '../rules/body-limit.ts';
import { FIELD_NAME, TOKEN } from '../rules/field-values.ts';
import { JSON_TYPE } from '../rules/vocabulary.ts';
import { valuesSchema } from './parameters.ts';
import { Position } from '../schema/positions.ts';
import { type Sent, senderOf, tooLong } from './sent.ts';
import { outlinesOf, type OutlineAt } from './undeclared.ts';

// What messages have beside their parameters: bodies, and the header fields of replies.

/** What an operation gets and returns as a body: the value of the JSON, a string, or a Uint8Array. */
export type BodyKind = 'json' | 'text' | 'bytes';

export interface ContractContent {
  /** Parameters are as JSON. */
  readonly kind: BodyKind;
  /** Of bytes: the schema of a string that has a character for each byte. */
  readonly schema: AnySchema;
  /** undefined: the value holds no default, and all its numbers are doubles. */
  readonly position: Position | undefined;
  /** undefined: the value has no members that are left out. */
  readonly outline: OutlineAt;
}

/** In replies, a content without a position holds no number. */
interface ReplyContent extends ContractContent {
  /**
   * Makes the body to send: the declared members of what an operation returned, each number with its declared type.
   *
   * @throws Overspent, or Error for a body that is too long
   */
  readonly sent: (body: unknown) => Sent;
  /** Writes the result of `sent`, once it is valid, as it goes out, and may change it. */
  readonly write: (body: unknown) => string | Uint8Array;
  /** Whether a browser may run the body: on the origin of the page at /docs it could read the token there. */
  readonly isRun: boolean;
}

export interface ContractReply {
  readonly mediaType: string | undefined;
  readonly content: ReplyContent | undefined;
  readonly headers: Readonly<Record<string, Header>>;
  /** Whether the body of a failure lists its numbers: each failure of the operation is then declared by its status. */
  readonly listsNumbers: boolean;
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

/** The reply that an operation may return with a status: a 4xx by `default` too, unless that lists the numbers of failures. */
export function returnedFor(replies: ReadonlyMap<string, ContractReply>, status: number): ContractReply | undefined {
  const declared = declaredFor(replies, status);
  if (declared !== undefined || !(status >= 400 && status < 500)) return declared;
  const reply = replies.get('default');
  return reply?.listsNumbers === false ? reply : undefined;
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
  const [body, ...others] = readContent(content, follow, where);
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
  const own = body === undefined ? {} : replyOf(...body, follow);
  const listsNumbers = body !== undefined && hasNumbers(body[2], follow);
  return { mediaType: undefined, content: undefined, ...own, headers: Object.fromEntries(fields), listsNumbers };
}

function hasNumbers(schema: AnySchema, follow: Follow): boolean {
  const errors = joined([schema], follow).flatMap(({ properties = {} }) => properties['error'] ?? []);
  return joined(errors, follow).some((each) => each['x-error-numbers'] !== undefined);
}

type ReadContent = readonly [type: string, kind: BodyKind, schema: AnySchema];

/** @returns JSON first: records are JSON */
function readContent(content: Content, follow: Follow, where: string): ReadContent[] {
  const read = Object.entries(content).map(([type, media]): ReadContent => {
    const kind = kindOf(type, media, follow, where);
    // The only parameter is charset=utf-8, which JSON has anyway (RFC 8259), and every text here.
    return [type.replace(/;.*/, ''), kind, schemaOf(kind, media, follow)];
  });
  if (new Set(read.map(([type]) => type)).size < read.length)
    refuse(content, where, 'two media types are the same: leave one out');
  return read.sort(([, one], [, other]) => Number(other === 'json') - Number(one === 'json'));
}

/** The keywords of a string that may be bytes: JSON Schema judges no bytes by others. */
const OF_BYTES =
  /^(?:\$ref|type|format|(?:min|max)Length|title|description|\$comment|deprecated|examples?|externalDocs|xml|content(?:MediaType|Schema)|x-.*)$/;

/** @throws ContractError */
export function kindOf(type: string, media: Media, follow: Follow, where: string): BodyKind {
  const { schema } = media;
  if (JSON_TYPE.test(type)) {
    if (schema === undefined) refuse(media, where, `${type} must have a schema`);
    return 'json';
  }
  const isText = type.startsWith('text/');
  const all = inPlace([schema ?? true], follow);
  const { types } = new Position(schema ?? true, follow);
  const isString = types.size === 1 && types.has('string');
  const isBinary = all.some(({ format }) => format === 'binary');
  const isPlain =
    schema !== false &&
    all.every(
      (each) => Object.keys(each).every((name) => OF_BYTES.test(name)) && /^(?:binary)?$/.test(each.format ?? ''),
    );
  const isAny = types.size === TYPES.size && isPlain;
  if (isText && !isBinary && (isString || isAny)) return 'text';
  if (isPlain && (isString || isAny)) return 'bytes';
  const cure = `${isText ? 'write type: string, or ' : ''}leave the schema out, or write type: string and format: binary, for bytes`;
  refuse(media, where, `the body of ${type} is no JSON, which this schema describes: ${cure}`, 'decision');
}

function schemaOf(kind: BodyKind, { schema = true }: Media, follow: Follow): AnySchema {
  const all = inPlace([schema], follow);
  if (kind === 'json' || (kind === 'text' && all.some(({ type }) => type !== undefined))) return schema;
  const minLength = Math.max(0, ...all.map((each) => each.minLength ?? 0));
  const maxLength = Math.min(Infinity, ...all.map((each) => each.maxLength ?? Infinity));
  return { type: 'string', ...(minLength > 0 && { minLength }), ...(maxLength < Infinity && { maxLength }) };
}

/** @returns what a request may have as its body, by media type @throws ContractError */
export function bodiesOf(content: Content, follow: Follow, where: string): ReadonlyMap<string, ContractContent> {
  const read = readContent(content, follow, where);
  return new Map(read.map(([type, kind, schema]) => [type, bodyOf(kind, schema, follow)]));
}

/** The parameters of a request, as one value. */
export function valuesOf(parameters: readonly Parameter[], follow: Follow): ContractContent {
  const schema = valuesSchema(parameters);
  const position = new Position(schema, follow);
  return {
    kind: 'json',
    schema,
    position: position.mayFillIn ? position : undefined,
    outline: outlinesOf(follow).at([schema]),
  };
}

function bodyOf(kind: BodyKind, schema: AnySchema, follow: Follow): ContractContent {
  if (kind !== 'json') return { kind, schema, position: undefined, outline: undefined };
  const position = new Position(schema, follow);
  const matters = position.mayFillIn || numbersIn(schema, follow) === 'bigint';
  return { kind, schema, position: matters ? position : undefined, outline: outlinesOf(follow).at([schema]) };
}

/** The media types that no browser runs. Any type that is not listed may be one that browsers run. */
const NEVER_RUN =
  /^(?:text\/(?:plain|csv)|application\/(?:pdf|octet-stream)|image\/(?:png|jpeg|gif|webp|avif|bmp|tiff|heic|heif))$/;

function replyOf(
  type: string,
  kind: BodyKind,
  schema: AnySchema,
  follow: Follow,
): Pick<ContractReply, 'mediaType' | 'content'> {
  const numbers = kind === 'json' ? numbersIn(schema, follow) : 'none';
  const send = senderOf(follow);
  const position = numbers === 'none' ? undefined : new Position(schema, follow);
  const outline = kind === 'json' ? outlinesOf(follow).at([schema]) : undefined;
  const write = {
    // JSON.stringify alone cannot write a bigint, and is faster.
    json: (body: unknown) => sendable(numbers === 'bigint' ? ownJson(body) : JSON.stringify(body)),
    text: (body: unknown) => wellFormed(String(body)),
    bytes: (body: unknown) => body as Uint8Array,
  }[kind];
  const sent = kind === 'bytes' ? copied : (body: unknown) => send(body, schema, position, outline);
  const isRun = kind !== 'json' && !NEVER_RUN.test(type);
  // Clients may read a text without a charset as Latin 1.
  const mediaType = kind === 'text' ? `${type}; charset=utf-8` : type;
  return { mediaType, content: { kind, schema, position, outline, sent, write, isRun } };
}

/** Copies bytes: the operation may change its own later, and http/reply.ts takes a Buffer for a page that replies share. */
function copied(body: unknown): Sent {
  if (!nodeTypes.isUint8Array(body)) return { body, work: workFor(0) };
  if (body.length > MAX_REPLY_BYTES) throw tooLong();
  return { body: new Uint8Array(body), work: workFor(0) };
}
