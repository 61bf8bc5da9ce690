import { describe, expect, test } from '@jest/globals';
import { examine, loadContract } from '../../../src/load.ts';
import { contractOf, receiver } from '../values.ts';

// What the author of a contract may write, at the size where it would cost too much. Each has a small case in another file.

const int64 = { type: 'integer', format: 'int64' };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const named = (count: number, make: (index: number) => object) =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, make(index)]));

test('a contract with int64 and many patterns of names is refused, as each combination would stay in memory', async () => {
  const integers = (count: number) => ({
    patternProperties: Object.fromEntries(
      Array.from({ length: count }, (_, minimum) => [`^p${minimum}`, { ...int64, minimum }]),
    ),
  });
  const body = (count: number) => ({ properties: named(200, () => integers(count)) });
  await expect(receiver({ body: body(4) })).resolves.toBeDefined();
  const refusal = /openapi\.yaml:\d+:\d+: values .* can have more than 5000 combinations of schemas/;
  await expect(receiver({ body: body(6) })).rejects.toThrow(refusal);
});

test('a contract with int64 and more than 5000 places, each of one schema, is accepted', async () => {
  const body = { properties: named(60, () => ({ properties: named(100, () => int64) })) };
  await expect(receiver({ body })).resolves.toBeDefined();
});

const ALL = { $ref: '#/components/schemas/All' };
const OR_NULL = { anyOf: [ALL, { type: 'null' }] };
/** A contract of 150 branches, each with a member that leads to all of them. */
const branching = (id: object, within: () => object) => {
  const branch = (kind: number) =>
    object({ kind: { const: `k${kind}` }, id, within: within() }, { required: ['kind'] });
  const All = { oneOf: Array.from({ length: 150 }, (_, kind) => branch(kind)) };
  return loadContract(contractOf({ body: ALL, schemas: { All, OrNull: OR_NULL } }));
};

test.each<[what: string, id: object, within: () => object]>([
  ['no int64', { type: 'string' }, () => structuredClone(OR_NULL)],
  ['an int64 and a $ref to all', int64, () => ({ $ref: '#/components/schemas/All', description: 'All' })],
  ['an int64 and a schema of its own for all or null', int64, () => structuredClone(OR_NULL)],
  ['an int64 and a $ref to a component that is all or null', int64, () => ({ $ref: '#/components/schemas/OrNull' })],
])('loadContract accepts 150 branches that each lead back to all of them, with %s', async (_, id, within) => {
  expect((await branching(id, within)).operations).toHaveLength(1);
});

test('the service accepts the schema of a body with two thousand members, as generate does', async () => {
  const yaml = contractOf({ body: object(named(2000, () => ({ type: 'string' }))) });
  expect(examine(yaml).operations).toHaveLength(1);
  await expect(loadContract(yaml)).resolves.toBeDefined();
});

describe('hostile contracts', () => {
  test('loadContract refuses with one line, instead of another error, lists in lists, 100,000 deep', async () => {
    const deep = `${'['.repeat(1e5)}${']'.repeat(1e5)}`;
    await expect(loadContract(contractOf({}).replace('{', `{"x-a":${deep},`))).rejects.toThrow(
      /^openapi\.yaml:1:\d+: nested too deeply: use at most 100 levels, .*$/,
    );
  });

  test('loadContract refuses with one line, instead of another error, a pattern whose groups nest 1000 times', async () => {
    const body = { pattern: `${'(a|b|'.repeat(1000)}${')'.repeat(1000)}` };
    await expect(loadContract(contractOf({ body }))).rejects.toThrow(
      /^openapi\.yaml:1:\d+: the pattern .* (?:is too large to tell how its|may take) time .*$/,
    );
  });
});
