import type { Request, Response } from 'express';
import type { Body } from './body.ts';
import { readBody } from './body.ts';
import type { ContractOperation, ContractParameter } from '../contract/contract.ts';
import type { Exact, Holder } from '../contract/exact.ts';
import { settle } from '../contract/exact.ts';
import { int64 } from '../contract/int64.ts';
import { parseJson } from '../contract/json.ts';
import type { Exchange, OperationValidator } from '../contract/validator.ts';

/** What an operation is called with, as `Request` in types.ts has it. */
export interface RequestData {
  readonly path: Holder;
  readonly query: Holder;
  readonly header: Holder;
  readonly body: unknown;
}

/**
 * Reads a request and holds it to the contract.
 *
 * @throws Refusal at once, or later by the promise, if it cannot be read, or breaks the contract
 */
export function readRequest(
  request: Request,
  response: Response,
  operation: ContractOperation,
  validator: OperationValidator,
): RequestData | Promise<RequestData> {
  const exchange: Exchange = {
    params: request.params,
    query: request.url.includes('?') ? request.query : {},
    headers: {},
    originalUrl: request.url,
    body: undefined,
  };
  const exacts: Exact[] = [];
  for (const parameter of operation.parameters) takeParameter(parameter, request, exchange, exacts);
  const sent = operation.body && readBody(request, response, operation.body);
  const validated = (body: Body | undefined) => validate(exchange, exacts, body, operation, validator);
  return sent === undefined ? validated(undefined) : sent.then(validated);
}

/**
 * The body of a request, from its text alone: read, and held to the contract, as if it had been sent.
 *
 * @throws Refusal as readRequest does
 */
export function readBodyText(text: string, operation: ContractOperation, validator: OperationValidator): unknown {
  const [mediaType = ''] = operation.body?.types.keys() ?? [];
  const exchange = { params: {}, query: {}, headers: {}, originalUrl: operation.path, body: undefined };
  return validate(exchange, [], { mediaType, text }, operation, validator).body;
}

function validate(
  exchange: Exchange,
  exacts: Exact[],
  body: Body | undefined,
  operation: ContractOperation,
  validator: OperationValidator,
): RequestData {
  const position = body && operation.body?.types.get(body.mediaType);
  // The validator keeps memory for each content type that it meets: only where a body may have several is it shown one,
  // of these, also where there is no body.
  const types = operation.body?.types;
  exchange.headers['content-type'] =
    types && types.size > 1 ? (body?.mediaType ?? types.keys().next().value) : undefined;
  if (body !== undefined) {
    exacts.push(...parseJson(body.text, position, exchange, 'body'));
  }
  validator.request(exchange);
  settle(exacts);
  for (const parameter of operation.parameters) makeDefaultExact(parameter, exchange);
  return {
    path: exchange.params,
    query: exchange.query,
    header: declaredHeaders(operation.parameters, exchange.headers),
    body: position === undefined ? exchange.body : position.withExactDefaults(exchange.body),
  };
}

/** Where the exchange holds a parameter. */
function placeOf({ in: location, name }: ContractParameter, exchange: Exchange): { holder: Holder; key: string } {
  if (location === 'header') return { holder: exchange.headers, key: name.toLowerCase() };
  return { holder: location === 'path' ? exchange.params : exchange.query, key: name };
}

/** Readies a parameter for the validator, which rounds: for the text of an int64 it gets that of the double near it. */
function takeParameter(parameter: ContractParameter, request: Request, exchange: Exchange, exacts: Exact[]): void {
  const { holder, key } = placeOf(parameter, exchange);
  if (parameter.in === 'header' && request.headers[key] !== undefined) holder[key] = request.headers[key];
  const text = holder[key];
  if (!parameter.int64 || typeof text !== 'string') return;
  const exact = int64(text);
  holder[key] = String(Number(exact));
  exacts.push({ holder, key, value: typeof exact === 'bigint' ? exact : text });
}

function makeDefaultExact(parameter: ContractParameter, exchange: Exchange): void {
  const { holder, key } = placeOf(parameter, exchange);
  const value = holder[key];
  if (parameter.int64 && typeof value === 'number' && Number.isSafeInteger(value)) holder[key] = BigInt(value);
}

function declaredHeaders(parameters: readonly ContractParameter[], headers: Holder): Holder {
  const declared = parameters.filter((parameter) => parameter.in === 'header');
  return Object.fromEntries(declared.map(({ name }) => [name, headers[name.toLowerCase()]]));
}
