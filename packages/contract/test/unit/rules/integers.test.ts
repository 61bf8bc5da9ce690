import { describe, expect, test } from '@jest/globals';
import { loadContract } from '../../../src/load.ts';
import { contractOf, receiver } from '../values.ts';

const int64 = { type: 'integer', format: 'int64' };
const integer = { type: 'integer' };
const ID = { $ref: '#/components/schemas/Id' };
const COUNT = { $ref: '#/components/schemas/Count' };
const schemas = { Id: int64, Count: integer };
const object = (properties: object, more: object = {}) => ({ type: 'object', properties, ...more });
const tuple = (...prefixItems: readonly object[]) => ({ type: 'array', prefixItems });

describe('refused integers', () => {
  test.each<[string, object]>([
    ['oneOf', { oneOf: [object({ kind: { const: 'x' }, n: int64 }), object({ kind: { const: 'y' }, n: integer })] }],
    ['anyOf', { anyOf: [object({ n: ID }), object({ n: COUNT })] }],
    ['allOf', { allOf: [object({ n: int64 }), object({ n: { type: 'number' } })] }],
    ['anyOf within properties', object({ in: { anyOf: [object({ n: int64 }), object({ n: integer })] } })],
    ['keywords beside anyOf', object({ n: int64 }, { anyOf: [object({ n: { const: 5 } }), {}] })],
    ['an enum', { anyOf: [object({ n: int64 }), object({ n: { enum: ['all', 5] } })] }],
    ['an array of a const', { anyOf: [object({ n: { type: 'array', items: int64 } }), object({ n: { const: [5] } })] }],
    ['an object of an enum', { anyOf: [object({ n: object({ a: int64 }) }), object({ n: { enum: [{ a: 5 }] } })] }],
    ['keywords beside a $ref', object({ n: { ...COUNT, ...int64 } })],
    ['an integer beside a $ref to an int64', object({ n: { ...ID, ...integer, maximum: 5 } })],
    ['an enum beside a $ref to an int64', object({ n: { ...ID, enum: [1, 2] } })],
    ['allOf of one value', object({ n: { allOf: [COUNT, int64] } })],
    ['allOf with a number', object({ n: { allOf: [{ type: 'number' }, int64] } })],
    ['patternProperties', object({ n: integer }, { patternProperties: { '^n': int64 } })],
    ['additionalProperties of another schema', { allOf: [object({ n: integer }), { additionalProperties: int64 }] }],
    ['other members of two schemas', { anyOf: [{ additionalProperties: int64 }, { additionalProperties: integer }] }],
    [
      'patterns of two schemas',
      { anyOf: [{ patternProperties: { '^a': int64 } }, { patternProperties: { b$: integer } }] },
    ],
    [
      'items of two schemas',
      {
        anyOf: [
          { type: 'array', items: int64 },
          { type: 'array', items: integer },
        ],
      },
    ],
    ['items and prefixItems', { anyOf: [{ type: 'array', items: int64 }, tuple(integer)] }],
    [
      'members of items',
      { anyOf: [{ type: 'array', items: object({ n: int64 }) }, tuple(object({}), object({ n: integer }))] },
    ],
  ])(
    'the service refuses to start if an operation would get a bigint where its type says number: %s',
    async (_name, body) => {
      const loading = loadContract(contractOf({ body: { ...body }, schemas }));
      await expect(loading).rejects.toThrow(expect.objectContaining({ name: 'ContractError' }));
      await expect(loading).rejects.toThrow(
        /^openapi\.yaml:1:\d+: the int64 at openapi\.yaml:1:\d+ may describe the same value/,
      );
    },
  );
});

describe('integers', () => {
  test.each<[string, object, string, unknown]>([
    ['a number in one member, an int64 in another', object({ a: int64, b: integer }), '{"a":1,"b":1}', { a: 1n, b: 1 }],
    ['anyOf of one value', { anyOf: [int64, { type: 'number' }] }, '5', 5n],
    [
      'oneOf of a string and an int64',
      { oneOf: [object({ n: int64 }), object({ n: { type: 'string' } })] },
      '{"n":5}',
      { n: 5n },
    ],
    ['an int64 beside a $ref to one', object({ n: { ...ID, ...int64, maximum: 5 } }), '{"n":5}', { n: 5n }],
    [
      'a limit in another schema',
      { allOf: [object({ n: int64 }), object({ n: { maximum: 5 } })] },
      '{"n":5}',
      { n: 5n },
    ],
    [
      'a limit in then',
      object({ n: int64 }, { if: true, then: object({ n: { ...integer, maximum: 5 } }) }),
      '{"n":5}',
      { n: 5n },
    ],
    [
      'other members beside a pattern',
      { patternProperties: { '^a': int64 }, additionalProperties: integer },
      '{"a":1,"b":1}',
      { a: 1n, b: 1 },
    ],
    [
      'members of other members',
      object({ a: object({ n: int64 }) }, { additionalProperties: object({ n: integer }) }),
      '{"a":{"n":1},"b":{"n":1}}',
      { a: { n: 1n }, b: { n: 1 } },
    ],
    ['items after prefixItems', { ...tuple(int64), items: integer }, '[1,1]', [1n, 1]],
    ['two tuples', { anyOf: [tuple(int64, integer), tuple(int64, integer, integer)] }, '[1,1]', [1n, 1]],
  ])('an operation gets integers as their types say: %s', async (_name, body, sent, got) => {
    const receive = await receiver({ body: { ...body }, schemas });
    expect(receive('', sent)).toMatchObject({ body: got });
  });
});

test('the service refuses to start for an int64 and a number that meet deep in a recursive schema', async () => {
  const Node = object({ n: int64, next: { $ref: '#/components/schemas/Node' } });
  const body = {
    anyOf: [{ $ref: '#/components/schemas/Node' }, object({ next: object({ next: object({ n: integer }) }) })],
  };
  await expect(loadContract(contractOf({ body, schemas: { Node } }))).rejects.toThrow('may describe the same value');
});

test('the service refuses to start for an int64 and a number that meet in a parameter', async () => {
  const schema = { type: 'object', properties: { n: integer }, patternProperties: { n: int64 } };
  const parameters = [{ name: 'filter', in: 'query', style: 'deepObject', schema }];
  await expect(loadContract(contractOf({ parameters }))).rejects.toThrow('may describe the same value');
});

test('loadContract accepts branches with an int64, each of which refers back to all of them', async () => {
  const branch = (kind: number) =>
    object({ kind: { const: `k${kind}` }, id: int64, within: { $ref: '#/components/schemas/All' } });
  const All = { oneOf: Array.from({ length: 5 }, (_, kind) => branch(kind)) };
  const body = { $ref: '#/components/schemas/All' };
  expect((await loadContract(contractOf({ body, schemas: { All } }))).operations).toHaveLength(1);
});
