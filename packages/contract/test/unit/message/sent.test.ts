import { describe, expect, test } from '@jest/globals';
import { type AnySchema, follower } from '../../../src/schema/document.ts';
import { sentBy } from '../../../src/message/sent.ts';
import { exactJson } from '../../../src/schema/int64.ts';
import { random } from '../values.ts';

const closed = (...names: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(names.map((name) => [name, {}])),
  additionalProperties: false,
});
const A = { $ref: '#/components/schemas/A' };
const TREE = { $ref: '#/components/schemas/Tree' };
const document = {
  components: {
    schemas: {
      A: closed('a'),
      Tree: { ...closed(), properties: { a: {}, left: TREE, more: { type: 'array', items: TREE } } },
    },
  },
};
const sender = sentBy(follower(document));
const sent = (value: unknown, schema: unknown) => sender(value, schema as AnySchema, undefined).body;
const shown = (value: unknown, schema: unknown) => exactJson(sent(value, schema));

describe('bodies of replies', () => {
  test.each<[string, unknown, unknown, string]>([
    ['what a closed object declares', closed('a', 'b'), { a: 1, c: 2, b: 3n }, '{"a":1,"b":3}'],
    ['no member that is undefined', closed('a', 'b'), { a: undefined, b: null }, '{"b":null}'],
    [
      'all that an open object has',
      { properties: { a: {} } },
      { a: 1, c: { d: 2 }, e: undefined },
      '{"a":1,"c":{"d":2}}',
    ],
    ['what a $ref declares', A, { a: 1, c: 2 }, '{"a":1}'],
    ['what all of allOf allow', { allOf: [A, { properties: { c: {} } }] }, { a: 1, c: 2 }, '{"a":1}'],
    ['what any branch allows', { oneOf: [closed('a'), closed('b')] }, { a: 1, b: 2, c: 3 }, '{"a":1,"b":2}'],
    ['all that an open branch allows', { anyOf: [closed('a'), { type: 'object' }] }, { a: 1, c: 2 }, '{"a":1,"c":2}'],
    ['what an object or null declares', { anyOf: [A, { type: 'null' }] }, { a: 1, c: 2 }, '{"a":1}'],
    ['null of an object or null', { anyOf: [A, { type: 'null' }] }, null, 'null'],
    ['what a nullable object declares', { ...closed('a'), type: ['object', 'null'] }, { a: 1, c: 2 }, '{"a":1}'],
    ['what a pattern allows', { ...closed('a'), patternProperties: { '^x-': {} } }, { 'x-y': 1, y: 2 }, '{"x-y":1}'],
    ['the entries of a map', { additionalProperties: A }, { x: { a: 1, c: 2 } }, '{"x":{"a":1}}'],
    ['the items of a list', { type: 'array', items: A }, [{ a: 1, c: 2 }, { a: 3 }], '[{"a":1},{"a":3}]'],
    [
      'the first items of a list',
      { type: 'array', prefixItems: [A], items: true },
      [{ c: 1 }, { c: 2 }],
      '[{},{"c":2}]',
    ],
    [
      'a tree',
      TREE,
      { left: { left: { a: 1, c: 2 } }, more: [{ a: 3, c: 4 }] },
      '{"left":{"left":{"a":1}},"more":[{"a":3}]}',
    ],
    [
      'what unevaluatedProperties leave',
      {
        type: 'object',
        allOf: [{ properties: { a: {} } }, { properties: { b: {} } }],
        unevaluatedProperties: false,
      },
      { a: 1, b: 2, c: 3 },
      '{"a":1,"b":2}',
    ],
    [
      'a member of a branch where the others declare none',
      { type: 'object', properties: { a: true }, anyOf: [{ properties: { b: {} } }, {}], unevaluatedProperties: false },
      { a: 1, b: 2, c: 3 },
      '{"a":1,"b":2}',
    ],
    [
      'the members that the branches give a member',
      {
        oneOf: [
          { ...closed(), properties: { x: closed('a') } },
          { ...closed(), properties: { x: closed('b') } },
        ],
      },
      { x: { a: 1, b: 2, c: 3 } },
      '{"x":{"a":1,"b":2}}',
    ],
    [
      'no member that is writeOnly',
      { properties: { a: {}, secret: { type: 'string', writeOnly: true } } },
      { a: 1, secret: 'x' },
      '{"a":1}',
    ],
    [
      'names that every object inherits',
      closed('constructor', '__proto__'),
      JSON.parse('{"__proto__":1,"constructor":2,"toString":3}'),
      '{"__proto__":1,"constructor":2}',
    ],
    [
      'a member that only a condition declares',
      {
        type: 'object',
        if: { properties: { kind: { const: 'x' } }, required: ['kind'] },
        then: { properties: { a: {} } },
        unevaluatedProperties: false,
      },
      { kind: 'x', a: 1, c: 2 },
      '{"kind":"x","a":1}',
    ],
    ['what toJSON returns', {}, { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
    ['what a closed object declares of what toJSON returns', A, { toJSON: () => ({ a: 1, c: 2 }) }, '{"a":1}'],
    [
      'the items of what toJSON returns',
      { items: A },
      Object.assign([], { toJSON: () => [{ a: 1, c: 2 }] }),
      '[{"a":1}]',
    ],
  ])('in the body of a reply, the service sends %s', (_name, schema, value, due) => {
    expect(shown(value, schema)).toBe(due);
    // What `sent` has learnt about the schema in the first call must not change the second.
    expect(shown(value, schema)).toBe(due);
  });

  test('in the body of a reply, the service sends what toJSON returns for the name of a member, called once, and none of its functions', () => {
    const named = { toJSON: (name: string) => ({ name, toJSON: () => 'again' }) };
    const itself = {
      list: [named],
      toJSON() {
        return this;
      },
    };
    expect(Object.entries(sent({ own: named, itself }, true) as object)).toEqual([
      ['own', { name: 'own' }],
      ['itself', { list: [{ name: '0' }] }],
    ]);
  });

  test('in the body of a reply, the service sends a deep value of schemas that refer to each other, after few steps at each level', () => {
    const to = (name: string) => ({ $ref: `#/components/schemas/${name}` });
    const schemas = {
      Node: { properties: { c: to('Node'), d: to('Leaf') }, allOf: [{ properties: { c: to('Leaf'), d: to('Node') } }] },
      Leaf: {
        properties: { c: to('Leaf'), d: { anyOf: [to('Node'), to('Leaf')] } },
        anyOf: [{ properties: { c: to('Node') } }, { properties: { d: to('Leaf') } }],
      },
    };
    const follow = follower({ components: { schemas } });
    let steps = 0;
    const counting = sentBy((ref) => {
      steps++;
      return follow(ref);
    });
    let value = {};
    for (let depth = 0; depth < 16; depth++) value = { [depth % 3 === 0 ? 'd' : 'c']: value };
    expect(counting(value, to('Node'), undefined).body).toEqual(value);
    expect(steps).toBeLessThan(5000);
  });

  test('in the body of a reply, the service sends copies, which a getter cannot change between the verdict and the writing', () => {
    let reads = 0;
    const value = { a: [Object.defineProperty({}, 'b', { enumerable: true, get: () => ++reads })] };
    const body = sent(value, true);
    expect([exactJson(body), exactJson(body)]).toEqual(['{"a":[{"b":1}]}', '{"a":[{"b":1}]}']);
  });
});

describe('schemas of replies', () => {
  test('the service keeps nothing of the schemas of a reply for a name or an index that no schema tells apart', () => {
    let steps = 0;
    const follow = follower(document);
    const counting = sentBy((ref) => {
      steps++;
      return follow(ref);
    });
    const list = { items: { items: A } };
    const map = { additionalProperties: A, patternProperties: { '^x-': A }, items: A };
    const entries = (from: number) =>
      Array.from({ length: 500 }, (_, index) => [`${index % 2 === 0 ? 'x-' : ''}${from + index}`, { a: 1 }] as const);
    const sendMore = (from: number) => {
      counting(Object.fromEntries(entries(from)), map, undefined);
      counting(Array.from(entries(from).values()), list, undefined);
    };
    sendMore(0);
    const before = steps;
    sendMore(500);
    expect(steps).toBe(before);
  });

  test('a reply whose parts each have other combinations of schemas spends its budget', () => {
    const next = random(3);
    const names = Array.from('abcdefgh');
    const all = Array.from({ length: 25 }, (_, index) => ({ $ref: `#/components/schemas/S${index}` }));
    const any = () => all[Math.floor(next() * all.length)] ?? A;
    const schemas = Object.fromEntries(
      all.map((_, index) => [
        `S${index}`,
        { ...closed(), properties: Object.fromEntries(names.map((name) => [name, any()])) },
      ]),
    );
    const send = sentBy(follower({ components: { schemas } }));
    const chain = (depth: number) =>
      Array.from({ length: depth }, () => names[Math.floor(next() * 8)] ?? '').reduce<object>(
        (value, name) => ({ [name]: value }),
        {},
      );
    const tree = Object.fromEntries(names.map((name) => [name, chain(8)]));
    const first = send(tree, { anyOf: all }, undefined);
    expect(first.body).toEqual(tree);
    expect(send(tree, { anyOf: all }, undefined).work).toBeGreaterThan(first.work);
    const alike = { list: Array.from({ length: 200 }, () => tree) };
    expect(() => send(alike, { properties: { list: { items: { anyOf: all } } } }, undefined)).not.toThrow();
    const hostile = { list: Array.from({ length: 400 }, () => chain(20)) };
    expect(() => send(hostile, { properties: { list: { items: { anyOf: all } } } }, undefined)).toThrow(
      /takes more work than the length of its message allows/,
    );
  });
});
