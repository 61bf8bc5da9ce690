import type { ContractOperation, ContractParameter, RequestParts } from './contract.ts';
import { ErrorNumber, Refusal } from './errors.ts';
import { type Holder, int64, putExact, type Rounded } from './int64.ts';
import { parseJson } from './json.ts';

/** The most bytes a body may have, as sent and after decompression. */
export const MAX_BODY_BYTES = 64 * 1024;

export interface Body {
  /** As the contract declares it. */
  readonly mediaType: string;
  readonly text: string;
}

/** A request as it was sent, without its body. */
export interface SentRequest {
  readonly params: Holder;
  readonly query: Holder;
  readonly headers: Readonly<Record<string, unknown>>;
  /** With its query, which the validator parses once more. */
  readonly url: string;
}

/** What an operation is called with, as `Request` in types.ts has it. */
export interface RequestData {
  readonly path: Holder;
  readonly query: Holder;
  readonly header: Holder;
  readonly body: unknown;
}

/**
 * The body of a request, from its text alone: read, and held to the contract, as if it had been sent.
 *
 * @throws Refusal as `validateRequest` does
 */
export function readBodyText(text: string, operation: ContractOperation): unknown {
  const [mediaType = ''] = operation.body?.types.keys() ?? [];
  const sent = { params: {}, query: {}, headers: {}, url: operation.path };
  return validateRequest(sent, { mediaType, text }, operation).body;
}

/**
 * Reads a request, and holds it to the contract.
 *
 * @throws Refusal if it breaks the contract
 */
export function validateRequest(
  { params, query, headers, url }: SentRequest,
  body: Body | undefined,
  operation: ContractOperation,
): RequestData {
  const parts: RequestParts = { params, query, headers: {}, originalUrl: url, body: undefined };
  const rounded: Rounded[] = [];
  for (const parameter of operation.parameters) takeParameter(parameter, headers, parts, rounded);
  const types = operation.body?.types;
  // The validator keeps memory for each content type that it meets: it is shown one only where a body may have several,
  // one of these, also where there is no body.
  parts.headers['content-type'] = types && types.size > 1 ? (body?.mediaType ?? types.keys().next().value) : undefined;
  const position = body && types?.get(body.mediaType);
  if (body !== undefined) rounded.push(...parseJson(body.text, position, parts, 'body'));
  operation.validator.request(parts);
  putExact(rounded);
  const header: Holder = {};
  for (const parameter of operation.parameters) {
    const { holder, key } = holderOf(parameter, parts);
    const value = holder[key];
    // The validator has filled in a default.
    if (parameter.int64 && typeof value === 'number' && Number.isSafeInteger(value)) holder[key] = BigInt(value);
    if (parameter.in === 'header') header[parameter.name] = holder[key];
  }
  return {
    path: parts.params,
    query: parts.query,
    header,
    body: position === undefined ? parts.body : position.withExactDefaults(parts.body),
  };
}

/** Readies a parameter for the validator, which rounds: for the text of an int64 it gets that of the double near it. */
function takeParameter(
  parameter: ContractParameter,
  headers: SentRequest['headers'],
  parts: RequestParts,
  rounded: Rounded[],
): void {
  const { holder, key } = holderOf(parameter, parts);
  if (parameter.in === 'header' && headers[key] !== undefined) holder[key] = headers[key];
  const text = holder[key];
  if (!parameter.int64 || typeof text !== 'string') return;
  const exact = int64(text);
  holder[key] = String(Number(exact));
  rounded.push({ holder, key, value: typeof exact === 'bigint' ? exact : text });
}

/** Where the parts of a request hold a parameter. */
function holderOf({ in: location, name }: ContractParameter, parts: RequestParts): { holder: Holder; key: string } {
  if (location === 'header') return { holder: parts.headers, key: name.toLowerCase() };
  return { holder: location === 'path' ? parts.params : parts.query, key: name };
}

export function notUtf8(): Refusal {
  return new Refusal(ErrorNumber.bodyNotUtf8, 'body is not UTF-8');
}

export function tooLarge(): Refusal {
  return new Refusal(ErrorNumber.bodyTooLarge, `body is larger than ${MAX_BODY_BYTES} bytes`);
}
