import { expect, test } from '@jest/globals';
import type { OpenApiDocument } from '../../../src/schema/document.ts';
import { contractForTypes } from '../../../tools/contract-for-types.ts';

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
