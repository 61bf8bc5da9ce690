import { expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../../src/schema/document.ts';
import { contractForTypes } from '../../../tools/contract-for-types.ts';
import { generateTypes } from '../../../tools/types.ts';
import { contractOf } from '../values.ts';

/** How often the schemas of a contract are read, in which each of so many branches leads back to all of them. */
function readsOf(length: number): number {
  let reads = 0;
  const counting = (value: unknown): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    const parts = Object.entries(value).map(([name, each]) => [name, counting(each)] as const);
    const copy = Array.isArray(value) ? parts.map(([, each]) => each) : Object.fromEntries(parts);
    return new Proxy(copy, {
      get: (target, name): unknown => {
        reads++;
        return Reflect.get(target, name);
      },
    });
  };
  const names = Array.from({ length }, (_, index) => `B${index}`);
  const referTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });
  const branch = (name: string) => ({ type: 'object', properties: { kind: { const: name }, child: referTo('Any') } });
  const schemas = Object.fromEntries(names.map((name) => [name, branch(name)]));
  const content = { 'application/json': { schema: referTo('Any') } };
  const post = { operationId: 'add', requestBody: { content }, responses: {} };
  contractForTypes(
    counting({
      openapi: '3.1.0',
      info: { title: 'Branches', version: '1.0.0' },
      paths: { '/branches': { post } },
      components: { schemas: { Any: { oneOf: names.map(referTo) }, ...schemas } },
    }) as OpenApiDocument,
  );
  return reads;
}

test('branches that lead back to all of them are read by the square of their number at most', () => {
  expect(readsOf(64)).toBeLessThan(5 * readsOf(32));
});

const A = { properties: { a: { type: 'string' } } };
const B = { properties: { b: { type: 'string' } } };
test.each<[string, Readonly<Record<string, unknown>>, RegExp]>([
  ['required', { type: 'object', ...A, required: ['a', 'b'] }, /\bb: unknown/],
  ['required beside allOf', { type: 'object', allOf: [A], required: ['b'] }, /\bb: unknown/],
  ['dependentRequired', { type: 'object', ...A, dependentRequired: { a: ['b'] } }, /\bb\?: unknown/],
  ['dependentSchemas', { type: 'object', ...A, dependentSchemas: { b: { minProperties: 1 } } }, /\bb\?: unknown/],
  ['a schema of dependentSchemas', { type: 'object', dependentSchemas: { a: B } }, /\bb\?: unknown/],
  ['if', { type: 'object', ...A, if: B, then: { required: ['a'] } }, /\bb\?: unknown/],
  ['then', { type: 'object', ...A, if: A, then: B }, /\bb\?: unknown/],
  [
    'then, in an object that is closed',
    { type: 'object', ...A, if: A, then: B, unevaluatedProperties: false },
    /\bb\?: unknown/,
  ],
  ['properties', { type: 'object', allOf: [A, B], required: ['b'] }, /\bb: string/],
])('a member named by %s is in the type, as the operation gets it', async (_, body, type) => {
  expect(await generateTypes(contractOf({ body }))).toMatch(type);
});

const CLOSED = { type: 'object', ...A, additionalProperties: false };
test.each<[string, Readonly<Record<string, unknown>>]>([
  ['additionalProperties', { ...CLOSED, then: B, if: A }],
  ['additionalProperties of allOf', { type: 'object', allOf: [CLOSED], if: { required: ['b'] }, then: false }],
  [
    'unevaluatedProperties',
    { type: 'object', ...A, unevaluatedProperties: false, if: { required: ['b'] }, then: { required: ['a'] } },
  ],
])('a member that %s forbids is in no type', async (_, body) => {
  expect(await generateTypes(contractOf({ body }))).not.toMatch(/\bb\?:/);
});
