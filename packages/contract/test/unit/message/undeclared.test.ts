import { describe, expect, test } from '@jest/globals';
import { sentBy } from '../../../src/message/sent.ts';
import { leaveOut, outlinesOf, type OutlineAt } from '../../../src/message/undeclared.ts';
import { begin, budget, end, workFor } from '../../../src/schema/budget.ts';
import { type AnySchema, follower } from '../../../src/schema/document.ts';
import { random, receiver } from '../values.ts';

const open = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
});
const A = { $ref: '#/components/schemas/A' };
const TREE = { $ref: '#/components/schemas/Tree' };
const schemas = {
  A: open('a'),
  Tree: { type: 'object', properties: { a: {}, left: TREE, more: { type: 'array', items: TREE } } },
};
const AB = '{"a":1,"b":2}';

/** Names that mean something to JavaScript, or to its libraries. */
const MEANT = [...Object.getOwnPropertyNames(Object.prototype), 'toJSON', 'then', 'length', 'prototype'];
/** A contract cannot declare the name `__proto__`. */
const DECLARED = MEANT.filter((name) => name !== '__proto__');
const meant = (value: string, names = MEANT) => names.map((name) => `${JSON.stringify(name)}:${value}`).join();

/** What is left of a body on its way to an operation, and of the same body as a reply. */
async function handedOn(schema: AnySchema & object, body: string): Promise<readonly string[]> {
  const receive = await receiver({ body: { ...schema }, schemas });
  const { body: got } = receive('', body) as { readonly body: unknown };
  const follow = follower({ components: { schemas } });
  const place = outlinesOf(follow).at([schema]);
  const { body: sent } = sentBy(follow)(JSON.parse(body), schema, undefined, place);
  return [JSON.stringify(got), JSON.stringify(sent)];
}

describe('members that are left out', () => {
  test.each<[string, object, string, string]>([
    ['of an object with properties', open('a'), AB, '{"a":1}'],
    ['of an object behind a reference', A, AB, '{"a":1}'],
    ['of parts that allOf joins', { allOf: [A, open('c')] }, '{"a":1,"b":2,"c":3}', '{"a":1,"c":3}'],
    ['of branches', { anyOf: [A, open('c')] }, '{"a":1,"b":2,"c":3}', '{"a":1,"c":3}'],
    ['beside a branch without properties', { anyOf: [A, { type: 'object' }] }, AB, '{"a":1}'],
    ['beside a closed branch', { anyOf: [A, { ...open('c'), additionalProperties: false }] }, AB, '{"a":1}'],
    ['where a pattern only forbids', { ...open('a'), patternProperties: { '^_': false } }, AB, '{"a":1}'],
    ['in a member', { ...open(), properties: { b: A } }, `{"b":${AB}}`, '{"b":{"a":1}}'],
    ['in items', { type: 'array', prefixItems: [{}], items: A }, `[${AB},${AB}]`, `[${AB},{"a":1}]`],
    ['in a map', { type: 'object', additionalProperties: A }, `{"x":${AB}}`, '{"x":{"a":1}}'],
    ['in a map without names', { type: 'object', unevaluatedProperties: A }, `{"x":${AB}}`, '{"x":{"a":1}}'],
    [
      'in members whose names match a pattern',
      { type: 'object', patternProperties: { '^x': A, '^y': {} } },
      `{"x":${AB},"y":${AB}}`,
      `{"x":{"a":1},"y":${AB}}`,
    ],
    [
      'in a member that two schemas describe',
      { allOf: [{ properties: { x: A } }, { type: 'object', properties: { x: open('c') } }] },
      '{"x":{"a":1,"b":2,"c":3}}',
      '{"x":{"a":1,"c":3}}',
    ],
    ['at any depth', TREE, '{"left":{"more":[{"b":1,"a":{"b":2}}]},"b":3}', '{"left":{"more":[{"a":{"b":2}}]}}'],
    ['with names that JavaScript knows', open('a'), `{${meant('1')},"a":1}`, '{"a":1}'],
    ['with such names and objects', TREE, `{"left":{${meant('{"toJSON":{}}')}}}`, '{"left":{}}'],
  ])('requests and replies lose members that no schema names: %s', async (_what, schema, body, left) => {
    expect(await handedOn(schema, body)).toEqual([left, left]);
  });
});

describe('members that are kept', () => {
  const kept = { not: { required: ['z'] } };
  test.each<[string, object, string]>([
    ['of an object without properties', { type: 'object' }, AB],
    ['of any value', {}, AB],
    ['of an object with empty properties', open(), AB],
    ['of an object that only requires a member', { type: 'object', required: ['a'] }, AB],
    ['where additionalProperties is true', { ...open('a'), additionalProperties: true }, AB],
    ['where additionalProperties is a schema', { ...open('a'), additionalProperties: { type: 'integer' } }, AB],
    ['where unevaluatedProperties is true', { allOf: [A], unevaluatedProperties: true }, AB],
    ['where a pattern describes some', { ...open('a'), patternProperties: { '^x': {} } }, AB],
    ['where a branch keeps them', { anyOf: [A, { ...open('c'), additionalProperties: true }] }, AB],
    ['that required names', { ...open('a'), required: ['b'] }, AB],
    ['that dependentRequired names', { ...open('a'), dependentRequired: { a: ['b'] } }, AB],
    ['that dependentSchemas names', { ...open('a'), dependentSchemas: { b: true } }, AB],
    ['that a schema of dependentSchemas names', { ...open('a'), dependentSchemas: { a: open('b') } }, AB],
    ['that if names', { ...open('a'), if: { properties: { b: { const: 2 } } } }, AB],
    ['that not names', { ...open('a'), not: { properties: { b: { const: 3 } } } }, AB],
    [
      'of items that contains names',
      {
        ...open(),
        properties: {
          x: { type: 'array', items: open('a'), contains: { properties: { b: { const: 2 } }, required: ['b'] } },
        },
      },
      `{"x":[${AB}]}`,
    ],
    [
      'of members that a test names',
      {
        ...open(),
        properties: { x: open('a') },
        if: { properties: { x: { properties: { b: { const: 2 } } } } },
        then: true,
      },
      `{"x":${AB}}`,
    ],
    ['that a value of enum has', { ...open('a'), enum: [{ a: 1, b: 2 }] }, AB],
    ['that have a name which JavaScript knows', open(...DECLARED), `{${meant('{"x":1}', DECLARED)}}`],
  ])('requests and replies keep members %s', async (_what, schema, body) => {
    expect(await handedOn({ ...kept, ...schema }, body)).toEqual([body, body]);
  });
});

test('a reply leaves a member out without reading it', () => {
  const follow = follower({});
  const row = {
    a: 1,
    get secret(): never {
      throw new Error('read');
    },
  };
  expect(sentBy(follow)(row, open('a'), undefined, outlinesOf(follow).at([open('a')])).body).toEqual({ a: 1 });
});

test('an operation gets a parameter without the members that no schema names', async () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } } };
  const parameters = [{ name: 'filter', in: 'query', style: 'deepObject', explode: true, schema }];
  const receive = await receiver({ parameters });
  expect(receive('filter[a]=1&filter[b]=2')).toMatchObject({ query: { filter: { a: '1' } } });
  expect(receive('filter[b]=2')).toEqual(expect.objectContaining({ query: { filter: {} } }));
});

test('an operation gets a default without the members that no schema names, and its sender is not told', async () => {
  const text = { type: 'object', properties: { a: { type: 'string' } } };
  const filter = { name: 'filter', in: 'query', style: 'deepObject', schema: { ...text, default: { a: '', c: '' } } };
  const own = { ...open(), properties: { a: open('b') }, default: { a: { b: 1, c: 2 }, d: 3 } };
  const receive = await receiver({ body: { ...open(), properties: { own } }, parameters: [filter] });
  const told: string[] = [];
  const request = receive('', '{"x":1}', (name) => told.push(name));
  expect(JSON.stringify(request)).toContain('"query":{"filter":{"a":""}}');
  expect(JSON.stringify(request)).toContain('"body":{"own":{"a":{"b":1}}}');
  expect(told).toEqual(['x']);
});

test('a request is refused if what is left of it breaks the contract', async () => {
  const receive = await receiver({ body: { ...open('a', 'b'), minProperties: 1 } });
  expect(() => receive('', '{"c":1}')).toThrow(
    'without the members that the contract does not name, the request breaks the contract: ' +
      'body must not have fewer than 1 property',
  );
  const filled = { ...open(), properties: { a: { default: 1 }, b: {} }, maxProperties: 1 };
  const receiveFilled = await receiver({ body: { type: 'object', properties: { in: filled } } });
  expect(() => receiveFilled('', '{"in":{"b":1},"c":1}')).toThrow(
    'without the members that the contract does not name and with its defaults, the request breaks the contract: ',
  );
});

describe('many open schemas', () => {
  const next = random(7);
  const names = Array.from('abcdefgh');
  const all = Array.from({ length: 25 }, (_, index) => ({ $ref: `#/components/schemas/S${index}` }));
  const any = () => all[Math.floor(next() * all.length)] ?? A;
  const leading = Object.fromEntries(
    all.map((_, index) => [
      `S${index}`,
      { type: 'object', properties: Object.fromEntries(names.map((name) => [name, any()])) },
    ]),
  );
  const chain = () =>
    Array.from({ length: 30 }, () => names[Math.floor(next() * 8)] ?? '').reduce<object>(
      (value, name) => ({ [name]: value }),
      {},
    );
  let steps = 0;
  const followAll = follower({ components: { schemas: leading } });
  const follow = (reference: string) => {
    steps++;
    return followAll(reference);
  };
  const place = outlinesOf(follow).at([{ anyOf: all }]);
  const walk = (value: object, where: OutlineAt, work: number) => {
    begin(work);
    const before = steps;
    try {
      leaveOut(value, where);
      return { left: budget.left, steps: steps - before };
    } finally {
      end();
    }
  };

  test('the service keeps nothing that a message has chosen when its values lead through 25 open schemas', () => {
    walk(chain(), place, Infinity);
    const message = chain();
    const [first, second] = [walk(message, place, 1e9), walk(message, place, 1e9)];
    expect(first.steps).toBeGreaterThan(100);
    expect(second.steps).toBeGreaterThan(first.steps / 2);
  });

  test('a message whose values lead through 25 open schemas spends its budget on the search for members that no schema names', () => {
    const list = Array.from({ length: 600 }, chain);
    const text = JSON.stringify(list);
    expect(text.length).toBeLessThan(128 * 1024);
    const items = outlinesOf(follow).at([{ items: { anyOf: all } }]);
    expect(() => walk(list, items, workFor(text.length))).toThrow(
      /takes more work than the length of its message allows/,
    );
    const honest = [chain(), chain()];
    expect(walk(honest, items, workFor(JSON.stringify(honest).length)).left).toBeGreaterThan(0);
  });
});

test('a contract whose objects are closed, also by branches, makes the service look for no undeclared member', () => {
  const closed = { ...open('a'), additionalProperties: false };
  const document = { components: { schemas: { Closed: closed, A: open('a') } } };
  const outlines = outlinesOf(follower(document));
  const ref = { $ref: '#/components/schemas/Closed' };
  for (const schema of [
    closed,
    { ...closed, properties: { list: { type: 'array', items: ref } } },
    { anyOf: [ref, { type: 'null' }] },
    { oneOf: [ref, { ...closed, required: ['a'] }] },
    { allOf: [A, open('c')], unevaluatedProperties: false },
  ])
    expect(outlines.at([schema])).toBeUndefined();
  expect(outlines.at([{ type: 'array', items: A }])).toBeDefined();
});

test('reads the members that an open object in the query names, and refuses others as undeclared parameters', async () => {
  const properties = { size: { type: 'integer' }, after: { type: 'string' } };
  const receive = await receiver({
    parameters: [{ name: 'page', in: 'query', schema: { type: 'object', properties } }],
  });
  expect(receive('size=5&after=b')).toMatchObject({ query: { page: { size: 5, after: 'b' } } });
  expect(() => receive('size=5&before=b')).toThrow('query.before');
});
