import { expect, test } from '@jest/globals';
import { objectsIn, pointerTo } from '../../../src/rules/objects.ts';

const DOCUMENT = {
  paths: { '/a~b': { get: { callbacks: { done: { '{$request.body#/url}': { post: {} } } } }, 'x-own': { y: {} } } },
  components: {
    examples: { default: { value: { no: {} } } },
    schemas: {
      const: {
        properties: { example: { const: { no: {} }, default: { no: {} } }, enum: {}, 'x-a': {} },
        examples: [{ no: {} }],
        'x-b': { no: {} },
      },
    },
  },
};

test('finds all objects of a document but those in data, also where their names are those of fields of data', () => {
  const found = [...objectsIn(DOCUMENT)].map(pointerTo);
  expect(found).toEqual([
    '#',
    '#/paths',
    '#/paths/~1a~0b',
    '#/paths/~1a~0b/get',
    '#/paths/~1a~0b/get/callbacks',
    '#/paths/~1a~0b/get/callbacks/done',
    '#/paths/~1a~0b/get/callbacks/done/{$request.body#~1url}',
    '#/paths/~1a~0b/get/callbacks/done/{$request.body#~1url}/post',
    '#/components',
    '#/components/examples',
    '#/components/examples/default',
    '#/components/schemas',
    '#/components/schemas/const',
    '#/components/schemas/const/properties',
    '#/components/schemas/const/properties/example',
    '#/components/schemas/const/properties/enum',
    '#/components/schemas/const/properties/x-a',
  ]);
});

test('finds an object that aliases share once, and one that nests beyond the stack', () => {
  const shared = { properties: {} };
  expect([...objectsIn({ one: shared, other: shared })]).toHaveLength(3);
  let deep = {};
  for (let depth = 0; depth < 100_000; depth++) deep = { items: deep };
  expect([...objectsIn(deep)]).toHaveLength(100_001);
});
