import { loadContract } from '../../src/load.ts';
import type { Tell } from '../../src/message/undeclared.ts';
import { validateRequest } from '../../src/request.ts';

type Node = Record<string, unknown>;

interface Declared {
  readonly body?: Node;
  readonly maxBytes?: number;
  readonly parameters?: readonly Node[];
  readonly schemas?: Node;
}

/** A contract with the operation `putThing`, whose body and parameters are as declared. */
export function contractOf({ body, maxBytes, parameters = [], schemas = {} }: Declared): string {
  const description = 'a thing';
  const failure = { description, content: { 'application/json': { schema: {} } } };
  const requestBody = body && { content: { 'application/json': { schema: body } } };
  const put = {
    operationId: 'putThing',
    'x-max-body-bytes': maxBytes,
    parameters,
    requestBody,
    responses: { 204: { description }, default: failure },
  };
  const info = { title: 'Things', version: '1.0.0' };
  return JSON.stringify({ openapi: '3.1.0', info, paths: { '/things': { put } }, components: { schemas } });
}

/** @returns a function from a query and a body to the data that the operation gets; a refused request throws */
export async function receiver(declared: Declared): Promise<(query: string, body?: string, tell?: Tell) => unknown> {
  const { operations } = await loadContract(contractOf(declared));
  const [operation] = operations;
  if (operation === undefined) throw new Error('the contract has no operation');
  return (query, text, tell) => {
    const body = text === undefined ? undefined : { mediaType: 'application/json', text };
    return validateRequest({ path: '/things', query, headers: {} }, body, operation, tell);
  };
}

/** @returns a function that yields numbers from 0 up to 1, the same ones for the same seed (mulberry32) */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state += 0x6d2b79f5;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
