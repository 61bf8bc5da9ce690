import { expect, test } from '@jest/globals';
import { ErrorNumber, Refusal } from '../../../src/refusal.ts';
import { receiver } from '../values.ts';

const BYTES = 32_768;
const refs = (count: number, name = 'A') =>
  Array.from({ length: count }, () => ({ $ref: `#/components/schemas/${name}` }));
const counted = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, index) => make(index));
const named = <T>(count: number, make: (index: number) => T) =>
  Object.fromEntries(counted(count, (index) => [`p${index}`, make(index)]));
const branches = (count: number) => ({
  anyOf: [...counted(count, (index) => ({ required: [`k${index}`] })), {}],
});
const list = (item: string) =>
  `[${Array<string>(Math.floor((BYTES - 2) / (item.length + 1)))
    .fill(item)
    .join()}]`;
const MEMBERS = `{${counted(2500, (index) => `"k${100_000 + index}":1`).join()}}`;
const TEXT = JSON.stringify('a'.repeat(BYTES - 10));

/** @returns the refusal of a body, or undefined for a valid one */
async function refusalOf(schema: object, text: string, schemas: Readonly<Record<string, object>> = {}) {
  const receive = await receiver({ body: { allOf: [schema] }, maxBytes: BYTES, schemas });
  try {
    receive('', text);
    return undefined;
  } catch (error) {
    if (error instanceof Refusal) return error;
    throw error;
  }
}

const nested = (depth: number, name: string) => `{"${name}":`.repeat(depth) + '1' + '}'.repeat(depth);

type Row = readonly [what: string, schema: object, text: string, schemas?: Readonly<Record<string, object>>];

test.each<Row>([
  ['branches of each item', { items: branches(200) }, list('{}')],
  ['branches of each other member', { additionalProperties: branches(300) }, MEMBERS],
  [
    'branches beside a reference that has a bound',
    { ...refs(1)[0], maxItems: 100 },
    list('{}'),
    { A: { items: branches(200) } },
  ],
  ['branches of the members of a pattern', { maxProperties: 20, patternProperties: { '^': branches(200) } }, MEMBERS],
  ['patterns of one text', { allOf: counted(100, (index) => ({ pattern: `^[^${index}x]*$` })) }, TEXT],
  ['lengths of one text', { allOf: counted(400, (minLength) => ({ minLength, maxLength: BYTES })) }, TEXT],
  [
    'closed branches of one value',
    { anyOf: counted(100, (index) => ({ properties: { [`p${index}`]: true }, additionalProperties: false })) },
    MEMBERS,
  ],
  ['counts of members', { allOf: counted(200, (minProperties) => ({ minProperties })) }, MEMBERS],
  [
    'evaluated members',
    { allOf: refs(60), unevaluatedProperties: false },
    MEMBERS,
    { A: { patternProperties: { '^': true } } },
  ],
  ['defaults of each item', { items: { properties: named(60, () => ({ type: 'string', default: 'x' })) } }, list('{}')],
  [
    'items to compare',
    { allOf: counted(60, (minItems) => ({ minItems, uniqueItems: true })) },
    `[${counted(4500, (index) => index + 10_000).join()}]`,
  ],
  ['large objects to compare', { allOf: counted(60, (index) => ({ not: { enum: [{ a: index }] } })) }, MEMBERS],
  [
    'items that each `contains` must refuse',
    { allOf: counted(90, () => ({ minContains: 0, maxContains: 9, contains: false })) },
    list('1'),
  ],
  [
    'values beneath a long name',
    { additionalProperties: { items: { allOf: refs(20) } } },
    JSON.stringify({ ['~'.repeat(1000)]: Array<number>(4500).fill(1) }),
    { A: { minimum: 1 } },
  ],
  [
    'branches that each apply the same schema to a part',
    { ...refs(1)[0] },
    nested(30, 'of'),
    {
      A: {
        oneOf: ['a', 'b'].map((kind) => ({
          properties: { kind: { const: kind }, of: { $ref: '#/components/schemas/A' } },
        })),
      },
    },
  ],
  [
    'schemas that each apply another one twice',
    { ...refs(1, 'S0')[0] },
    '{}',
    Object.fromEntries(
      counted(31, (level) => [`S${level}`, level === 30 ? { minProperties: 0 } : { allOf: refs(2, `S${level + 1}`) }]),
    ),
  ],
])('a request with too many %s gets an error number of its own', async (...[, schema, text, schemas]) => {
  const refusal = await refusalOf(schema, text, schemas);
  expect(refusal?.message).toBe('the request takes too much work to check: send fewer or shorter values');
  expect(refusal?.number).toBe(ErrorNumber.tooMuchWork);
  expect(refusal?.reason).toMatch(/^openapi\.yaml:\d+:\d+: the schemas that apply here take more work/);
});

test.each<Row>([
  ['branches of one value', branches(300), '{}'],
  ['branches of few items', { maxItems: 100, items: branches(200) }, '[{},{},{}]'],
  ['branches of some items', { items: branches(6) }, list('{}')],
  ['regular expressions', { items: { type: 'string', format: 'regex' } }, list('"a"')],
  [
    'kinds of each member',
    {
      propertyNames: { pattern: '^k' },
      additionalProperties: { oneOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }, { type: 'array' }] },
    },
    MEMBERS,
  ],
  ['values of a long list', { items: { type: 'integer', minimum: 0, maximum: 9 } }, list('7')],
  ['characters of a text', { type: 'string', pattern: '^[^\\x00]*$', minLength: 1, maxLength: BYTES }, TEXT],
  [
    'items that are unique at thirty levels',
    { ...refs(1)[0] },
    `${'[1,'.repeat(30)}[${counted(2000, (index) => `{"a":${100_000 + index}}`).join()}]${']'.repeat(30)}`,
    { A: { uniqueItems: true, items: { $ref: '#/components/schemas/A' } } },
  ],
])('a request with many %s is accepted', async (...[, schema, text, schemas]) => {
  expect(await refusalOf(schema, text, schemas)).toBeUndefined();
});
