import { expect, test } from '@jest/globals';
import { readOpenApi, type Schema } from '../../../../src/schema/document.ts';
import { candidatesOf } from '../../../../tools/derivation/candidates.ts';

const document = readOpenApi('openapi: 3.1.0\ninfo: { title: T, version: 1.0.0 }\npaths: {}\n');
const candidates = (schema: Schema) => candidatesOf(document, 1).of([schema]);

test('candidates for a pattern differ from a text that matches it in the first or last character, or by one more', () => {
  expect(candidates({ type: 'string', pattern: '^ab$' })).toEqual(
    expect.arrayContaining(['ab', '\nb', 'a\n', '\nab', 'ab\n', 'é', 'a🌱']),
  );
});

test.each([
  ['minProperties', [2, 3, 4]],
  ['maxProperties', [2, 3, 4]],
] as const)('candidates for %s 3 have a member fewer, as many, and one more', (keyword, sizes) => {
  const objects = candidates({ type: 'object', [keyword]: 3 }).filter((value) => typeof value === 'object');
  const found = new Set(objects.map((value) => Object.keys(value ?? {}).length));
  expect([...found]).toEqual(expect.arrayContaining([...sizes]));
});
