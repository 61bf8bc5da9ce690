import type { ContractOperation, ContractParameter } from '../contract/contract.ts';
import type { Exact } from '../contract/exact.ts';
import { int64 } from '../contract/int64.ts';
import { type Body, holderOf, type RequestData, validateRequest } from '../contract/request.ts';
import type { OperationValidator, RequestParts } from '../contract/validator-eov.ts';
import { readBody } from './body.ts';
import type { Context } from './context.ts';

/**
 * Reads a request and holds it to the contract.
 *
 * @throws Refusal at once, or later by the promise, if it cannot be read, or breaks the contract
 */
export function readRequest(
  { request, exchange, body }: Context,
  operation: ContractOperation,
  validator: OperationValidator,
): RequestData | Promise<RequestData> {
  const parts: RequestParts = {
    params: request.params,
    query: request.url.includes('?') ? request.query : {},
    headers: {},
    originalUrl: request.url,
    body: undefined,
  };
  const exacts: Exact[] = [];
  for (const parameter of operation.parameters) takeParameter(parameter, request.headers, parts, exacts);
  const sent = operation.body && readBody(exchange, body, operation.body);
  const validated = (body: Body | undefined) => validateRequest(parts, exacts, body, operation, validator);
  return sent === undefined ? validated(undefined) : sent.then(validated);
}

/** Readies a parameter for the validator, which rounds: for the text of an int64 it gets that of the double near it. */
function takeParameter(
  parameter: ContractParameter,
  headers: Context['request']['headers'],
  parts: RequestParts,
  exacts: Exact[],
): void {
  const { holder, key } = holderOf(parameter, parts);
  if (parameter.in === 'header' && headers[key] !== undefined) holder[key] = headers[key];
  const text = holder[key];
  if (!parameter.int64 || typeof text !== 'string') return;
  const exact = int64(text);
  holder[key] = String(Number(exact));
  exacts.push({ holder, key, value: typeof exact === 'bigint' ? exact : text });
}
