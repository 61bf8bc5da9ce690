import { describe, expect, test } from '@jest/globals';
import { examine } from '../../../src/load.ts';
import { contradictions } from '../../../tools/contradictions.ts';
import { contractOf } from '../values.ts';

const closed = (properties: object, required = Object.keys(properties), more: object = {}) => ({
  ...{ type: 'object', additionalProperties: false, properties, required },
  ...more,
});
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const text = { type: 'string' };

function warnings(body: object, schemas: Record<string, unknown> = {}): string[] {
  const yaml = contractOf({ body: { ...body }, schemas });
  const at = (place: string, offset: string) => {
    expect(place).toMatch(/^openapi\.yaml:1:$/);
    // The contract is one line: the keyword at the place stands for its column.
    return /^"([^"]+)"/.exec(yaml.slice(Number(offset) - 1))?.[1] ?? 'no keyword';
  };
  return contradictions(examine(yaml)).map((each) =>
    each.replaceAll(/(openapi\.yaml:1:)(\d+)/g, (_all, place: string, offset: string) => at(place, offset)),
  );
}

const BODY = 'no body of putThing is valid';
const both = (one: string, other: string, joins = true) =>
  `${one}: ${one} contradicts ${other} at ${other}${joins ? ', which allOf, a branch or $ref joins to it' : ''}: ` +
  'no value satisfies both: change one of them';

describe('contradictions', () => {
  test.each<[string, object, string]>([
    [
      'closed objects that allOf joins',
      { allOf: [closed({ a: text }), closed({ b: text })] },
      both('required', 'additionalProperties'),
    ],
    [
      'an object closed by unevaluatedProperties',
      {
        allOf: [
          closed({ a: text }, ['a'], { additionalProperties: true }),
          { unevaluatedProperties: false, type: 'object' },
        ],
      },
      both('required', 'unevaluatedProperties'),
    ],
    [
      'a member that must and must not be there',
      { type: 'object', required: ['a'], properties: { a: false } },
      both('required', 'properties', false),
    ],
    ['integers of an enum beside string', { type: 'string', enum: [1, 8] }, both('enum', 'type', false)],
    ['a const and an enum', { allOf: [{ const: 'a' }, { enum: ['b', 'c'] }] }, both('const', 'enum')],
    [
      'texts that are too long',
      { enum: ['abc', 'abcd'], maxLength: 2, type: 'string' },
      both('enum', 'maxLength', false),
    ],
    ['texts of another pattern', { const: 'a', pattern: '^b$', type: 'string' }, both('const', 'pattern', false)],
    ['a minimum above a maximum', { type: 'integer', minimum: 5, maximum: 4 }, both('minimum', 'maximum', false)],
    ['an empty range', { type: 'number', exclusiveMinimum: 5, maximum: 5 }, both('exclusiveMinimum', 'maximum', false)],
    ['lengths', { allOf: [{ type: 'string', maxLength: 4 }, { minLength: 5 }] }, both('minLength', 'maxLength')],
    ['numbers of items', { type: 'array', minItems: 2, maxItems: 1 }, both('minItems', 'maxItems', false)],
    ['types', { allOf: [{ type: ['string', 'null'] }, { type: 'integer' }] }, both('type', 'type')],
    [
      'a required member',
      closed({ a: { type: 'integer', minimum: 5, maximum: 4 } }),
      both('minimum', 'maximum', false),
    ],
    [
      'an item that must be there',
      { type: 'array', minItems: 1, items: { const: 1, type: 'string' } },
      both('const', 'type', false),
    ],
    ['all branches', { type: 'string', anyOf: [{ type: 'integer' }, { const: 1 }] }, both('type', 'type')],
  ])('contradictions tells both places of %s', (_name, body, told) => {
    expect(warnings(body)).toEqual([`${told}; ${BODY}`]);
  });

  test('contradictions tells both places of components that are joined for several operations, once', () => {
    const schemas = { A: closed({ a: text }), B: closed({ b: text }), AB: { allOf: [ref('A'), ref('B')] } };
    expect(warnings({ oneOf: [ref('AB'), { allOf: [ref('AB')] }] }, schemas)).toEqual([
      `${both('required', 'additionalProperties')}; ${BODY}`,
    ]);
  });

  test('contradictions tells both places of a part that need not be sent', () => {
    expect(warnings(closed({ a: { type: 'array', items: { type: 'integer', minimum: 5, maximum: 4 } } }, []))).toEqual([
      both('minimum', 'maximum', false),
    ]);
  });
});

test('contradictions tells of a value that must contain itself', () => {
  const without = 'demands that this value contains itself without an end: no value does';
  expect(warnings(ref('A'), { A: closed({ a: ref('A') }) })).toEqual([`required: required ${without}; ${BODY}`]);
  expect(warnings(ref('A'), { A: { type: 'array', minItems: 1, items: ref('A') } })).toEqual([
    `minItems: minItems ${without}; ${BODY}`,
  ]);
});

test.each<[string, object, Record<string, unknown>]>([
  ['a value that may end', ref('A'), { A: closed({ a: { oneOf: [ref('A'), { type: 'null' }] } }) }],
  ['a branch that another part excludes', { type: 'string', anyOf: [{ type: 'integer' }, { minLength: 1 }] }, {}],
  ['a member that is barred openly', closed({ a: false }, []), {}],
  ['a readOnly member that is required', closed({ a: { type: 'string', readOnly: true } }), {}],
  [
    'an open object beside a closed one',
    { allOf: [closed({ a: text }), { type: 'object', properties: { b: text } }] },
    {},
  ],
  ['null beside an impossible object', { type: ['object', 'null'], required: ['a'], properties: { a: false } }, {}],
  ['a part of an enum', { type: 'string', enum: [1, 'a'] }, {}],
  ['a range of one number', { type: 'integer', minimum: 5, maximum: 5 }, {}],
])('contradictions tells nothing of %s', (_name, body, schemas) => {
  expect(warnings(body, schemas)).toEqual([]);
});
