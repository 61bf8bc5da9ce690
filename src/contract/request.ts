import type { ContractOperation, ContractParameter } from './contract.ts';
import { ErrorNumber, Refusal } from './errors.ts';
import { type Exact, type Holder, settle } from './exact.ts';
import { parseJson } from './json.ts';
import type { OperationValidator, RequestParts } from './validator-eov.ts';

/** The most bytes a body may have, as sent and after decompression. */
export const MAX_BODY_BYTES = 64 * 1024;

export interface Body {
  /** As the contract declares it. */
  readonly mediaType: string;
  readonly text: string;
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
export function readBodyText(text: string, operation: ContractOperation, validator: OperationValidator): unknown {
  const [mediaType = ''] = operation.body?.types.keys() ?? [];
  const parts = { params: {}, query: {}, headers: {}, originalUrl: operation.path, body: undefined };
  return validateRequest(parts, [], { mediaType, text }, operation, validator).body;
}

/**
 * Holds a request to the contract.
 *
 * @param exacts the places of the parameters that `parts` holds stand-ins for
 * @throws Refusal if it breaks the contract
 */
export function validateRequest(
  parts: RequestParts,
  exacts: Exact[],
  body: Body | undefined,
  operation: ContractOperation,
  validator: OperationValidator,
): RequestData {
  const position = body && operation.body?.types.get(body.mediaType);
  // The validator keeps memory for each content type that it meets: only where a body may have several is it shown one,
  // of these, also where there is no body.
  const types = operation.body?.types;
  parts.headers['content-type'] = types && types.size > 1 ? (body?.mediaType ?? types.keys().next().value) : undefined;
  if (body !== undefined) {
    exacts.push(...parseJson(body.text, position, parts, 'body'));
  }
  validator.request(parts);
  settle(exacts);
  for (const parameter of operation.parameters) makeDefaultExact(parameter, parts);
  return {
    path: parts.params,
    query: parts.query,
    header: declaredHeaders(operation.parameters, parts.headers),
    body: position === undefined ? parts.body : position.withExactDefaults(parts.body),
  };
}

/** Where the parts of a request hold a parameter. */
export function holderOf(
  { in: location, name }: ContractParameter,
  parts: RequestParts,
): { holder: Holder; key: string } {
  if (location === 'header') return { holder: parts.headers, key: name.toLowerCase() };
  return { holder: location === 'path' ? parts.params : parts.query, key: name };
}

function makeDefaultExact(parameter: ContractParameter, parts: RequestParts): void {
  const { holder, key } = holderOf(parameter, parts);
  const value = holder[key];
  if (parameter.int64 && typeof value === 'number' && Number.isSafeInteger(value)) holder[key] = BigInt(value);
}

function declaredHeaders(parameters: readonly ContractParameter[], headers: Holder): Holder {
  const declared = parameters.filter((parameter) => parameter.in === 'header');
  return Object.fromEntries(declared.map(({ name }) => [name, headers[name.toLowerCase()]]));
}

export function notUtf8(): Refusal {
  return new Refusal(ErrorNumber.bodyNotUtf8, 'body is not UTF-8');
}

export function tooLarge(): Refusal {
  return new Refusal(ErrorNumber.bodyTooLarge, `body is larger than ${MAX_BODY_BYTES} bytes`);
}
