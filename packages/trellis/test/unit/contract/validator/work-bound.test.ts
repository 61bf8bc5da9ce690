import { describe, expect, test } from '@jest/globals';
import type { AnySchema, Schema } from '../../../../src/contract/schema/document.ts';
import { requireBoundedWork } from '../../../../src/contract/validator/work-bound.ts';

const MIB = 1024 * 1024;
const branches = (count: number): Schema => ({
  oneOf: Array.from({ length: count }, (_, index) => ({ type: 'object', required: [`k${index}`] })),
});

/** @param schemas targets of `$ref: NAME` */
const bound = (root: AnySchema, maxBytes: number, schemas: Readonly<Record<string, AnySchema>> = {}) =>
  requireBoundedWork(root, maxBytes, (name) => schemas[name] ?? true);

describe('requireBoundedWork refuses', () => {
  test.each<[string, Schema, number]>([
    ['many branches for each item of an unbounded array', { items: branches(20) }, MIB],
    ['more branches in a smaller body', { items: branches(80) }, 65_536],
    ['many branches for each unknown member', { additionalProperties: branches(50) }, MIB],
    ['branches within branches', { items: { anyOf: [branches(8), branches(8)] } }, MIB],
  ])('%s', (_, schema, maxBytes) => {
    expect(() => bound(schema, maxBytes)).toThrow(
      /schemas apply to one value here, and a request body of \d+ bytes can hold too many or too large such values: lower maxItems/,
    );
  });

  test.each(['reply', 'parameter'] as const)('a %s, and names no limit of request bodies', (part) => {
    const refused = () => requireBoundedWork({ items: branches(200) }, MIB, () => true, part);
    expect(refused).toThrow(`a ${part} of 1048576 bytes`);
    expect(refused).not.toThrow('x-max-body-bytes');
  });

  test.each<[string, Readonly<Record<string, Schema>>]>([
    [
      'a schema that applies twice to each of its parts',
      { root: { properties: { a: { allOf: [{ $ref: 'root' }, { $ref: 'root' }] } } } },
    ],
    [
      'a schema that each of twenty others applies twice to the same value',
      Object.fromEntries(
        Array.from({ length: 20 }, (_, index) => [
          index === 0 ? 'root' : `level${index}`,
          { allOf: [{ $ref: `level${index + 1}` }, { $ref: `level${index + 1}`, minProperties: 0 } as Schema] },
        ]),
      ),
    ],
  ])('%s', (_, schemas) => {
    expect(() => bound({ $ref: 'root' }, 1000, schemas)).toThrow('more than 1000 schemas apply to one value');
  });
});

describe('requireBoundedWork accepts', () => {
  test.each<[string, Schema]>([
    ['many branches for few items', { maxItems: 100, items: branches(200) }],
    ['many branches for few unknown members', { maxProperties: 20, additionalProperties: branches(200) }],
    ['many branches for one value', branches(900)],
    ['some branches for each item of an unbounded array', { items: branches(6) }],
    [
      'items of many shapes that a discriminator tells apart',
      { items: { ...branches(12), discriminator: { propertyName: 'kind' } } },
    ],
  ])('%s', (_, schema) => {
    expect(() => bound(schema, MIB)).not.toThrow();
  });

  test('many closed branches', () => {
    const closed = (count: number): Schema => ({
      oneOf: branches(count).oneOf?.map((each) => ({ ...(each as Schema), additionalProperties: false })) ?? [],
    });
    expect(() => bound(closed(12), 65_536)).not.toThrow();
    expect(() => bound(closed(8), MIB)).not.toThrow();
  });

  test('a schema that contains itself', () => {
    const tree: Schema = { properties: { name: { type: 'string' }, children: { items: { $ref: 'tree' } } } };
    expect(() => bound({ $ref: 'tree' }, MIB, { tree })).not.toThrow();
  });
});

test('requireBoundedWork counts the faults that one value can have', () => {
  expect(bound({ allOf: [{ required: ['a', 'b'] }, { properties: { a: { type: 'string' } } }] }, MIB)).toBe(5);
});
