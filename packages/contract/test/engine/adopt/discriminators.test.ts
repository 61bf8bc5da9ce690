import { expect, test } from '@jest/globals';
import { stringify } from 'yaml';
import { adopted, at } from '../../support/adopted.ts';

type Schemas = Readonly<Record<string, object | boolean>>;
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const pathOf = (name: string) => ref(name).$ref;
const shape = (kind: object, ...required: readonly string[]) => ({
  type: 'object',
  required,
  properties: { kind, size: { type: 'number' } },
});
const TEXT = { type: 'string' };
const union = (names: readonly string[], mapping?: object) => ({
  oneOf: names.map(ref),
  discriminator: { propertyName: 'kind', ...(mapping && { mapping }) },
});

/** A document whose operation `/n` takes the schema n, by a reference. */
function documentOf(schemas: Schemas, taken: readonly string[], example?: unknown): string {
  const operation = (name: string) => ({
    operationId: name,
    requestBody: {
      required: true,
      content: { 'application/json': { schema: ref(name), ...(example !== undefined && { example }) } },
    },
    responses: { '204': { description: 'Done' }, default: { description: 'Failed' } },
  });
  return stringify({
    openapi: '3.1.0',
    info: { title: 'Shapes', version: '1.0.0' },
    paths: Object.fromEntries(taken.map((name) => [`/${name}`, { post: operation(name) }])),
    components: { schemas },
  });
}

/** The schemas after the answer. */
function pinned(schemas: Schemas, taken: readonly string[], answer = 'const') {
  const { document, refusals, open, edits } = adopted(documentOf(schemas, taken), `discriminators: ${answer}\n`);
  expect([open, refusals]).toEqual([[], []]);
  return { schemas: at(document, ['components', 'schemas']) as Record<string, unknown>, edits };
}

test('lets each branch require the value of the mapping, or its name, by const', () => {
  const schemas = {
    Shape: union(['Circle', 'Square'], { round: pathOf('Circle') }),
    Circle: shape(TEXT),
    Square: shape(TEXT),
  };
  expect(pinned(schemas, ['Shape']).schemas).toMatchObject({
    Shape: schemas.Shape,
    Circle: { required: ['kind'], properties: { kind: { type: 'string', const: 'round' }, size: {} } },
    Square: { required: ['kind'], properties: { kind: { type: 'string', const: 'Square' } } },
  });
});

test('leaves a discriminator out, where it is told to, and its branches as they are', () => {
  const schemas = { Shape: union(['Circle', 'Square']), Circle: shape(TEXT), Square: shape(TEXT) };
  const { Shape, ...branches } = pinned(schemas, ['Shape'], 'leave-out').schemas;
  expect([Shape, branches]).toEqual([
    { oneOf: schemas.Shape.oneOf },
    expect.objectContaining({ Circle: schemas.Circle, Square: schemas.Square }),
  ]);
});

test.each<[what: string, circle: object, square: object]>([
  ['an enum', { type: 'string', enum: ['round'] }, { type: 'string', enum: ['angular', 'flat'] }],
  ['a const', { const: 'round' }, { const: 'angular' }],
])('writes the mapping, without a question, where branches fix their values by %s', (_, circle, square) => {
  const schemas = {
    Shape: union(['Circle', 'Square'], { Circle: 'Circle', wrong: pathOf('Square') }),
    Circle: shape(circle, 'kind'),
    Square: shape(square, 'kind'),
  };
  const { schemas: made, edits } = pinned(schemas, ['Shape']);
  expect(edits).toEqual(['the mapping of a discriminator says the values that its branches fix']);
  expect(made).toMatchObject({ Circle: schemas.Circle, Square: schemas.Square });
  const { mapping } = (made['Shape'] as typeof schemas.Shape).discriminator as { mapping?: object };
  expect(mapping).toEqual({
    round: pathOf('Circle'),
    angular: pathOf('Square'),
    ...('enum' in square && { flat: pathOf('Square') }),
  });
});

test('lets a branch require the value that it fixes itself, and writes that into the mapping', () => {
  const schemas = {
    Shape: union(['Circle', 'Square'], { c: 'Circle' }),
    Circle: shape({ type: 'string', enum: ['round'] }),
    Square: shape(TEXT, 'kind'),
  };
  expect(pinned(schemas, ['Shape']).schemas).toMatchObject({
    Shape: { discriminator: { mapping: { round: pathOf('Circle'), Square: pathOf('Square') } } },
    Circle: { required: ['kind'], properties: { kind: { type: 'string', const: 'round' } } },
    Square: { properties: { kind: { const: 'Square' } } },
  });
});

test('chooses, of the values that all branches have, the one that the mapping says', () => {
  const kind = { type: 'string', enum: ['round', 'angular'] };
  const schemas = {
    Shape: union(['Circle', 'Square'], { round: 'Circle', angular: 'Square' }),
    Base: shape(kind, 'kind'),
    Circle: { allOf: [ref('Base')], type: 'object' },
    Square: { allOf: [ref('Base')], type: 'object' },
  };
  expect(pinned(schemas, ['Shape']).schemas).toMatchObject({
    Base: schemas.Base,
    Circle: { allOf: [ref('Base')], properties: { kind: { const: 'round' } } },
    Square: { allOf: [ref('Base')], properties: { kind: { const: 'angular' } } },
  });
});

test.each<[type: string, one: unknown, other: unknown]>([
  ['integer', 1, 2],
  ['boolean', true, false],
])('writes no text for a property of the type %s', (type, one, other) => {
  const said = { [String(one)]: pathOf('Circle'), [String(other)]: pathOf('Square') };
  const schemas = { Shape: union(['Circle', 'Square'], said), Circle: shape({ type }), Square: shape({ type }) };
  expect(pinned(schemas, ['Shape']).schemas).toMatchObject({
    Circle: { required: ['kind'], properties: { kind: { type, const: one } } },
    Square: { required: ['kind'], properties: { kind: { type, const: other } } },
  });
});

test('keeps a component as it is where it has another use, and lets the branch refer to it', () => {
  const schemas = {
    Shape: union(['Circle', 'Square'], { c: 'Circle' }),
    Form: union(['Circle'], { round: pathOf('Circle') }),
    Circle: shape(TEXT),
    Square: shape(TEXT),
    Tile: { type: 'object', properties: { of: ref('Square') } },
  };
  const own = (name: string, value: string) => ({
    type: 'object',
    allOf: [ref(name)],
    required: ['kind'],
    properties: { kind: { const: value } },
  });
  expect(pinned(schemas, ['Shape', 'Form', 'Tile']).schemas).toMatchObject({
    Shape: {
      oneOf: [ref('CircleAsC'), ref('SquareAsSquare')],
      discriminator: { mapping: { c: pathOf('CircleAsC'), Square: pathOf('SquareAsSquare') } },
    },
    Form: { oneOf: [ref('CircleAsRound')], discriminator: { mapping: { round: pathOf('CircleAsRound') } } },
    Circle: schemas.Circle,
    Square: schemas.Square,
    CircleAsC: own('Circle', 'c'),
    CircleAsRound: own('Circle', 'round'),
    SquareAsSquare: own('Square', 'Square'),
  });
});

test('names each branch that requires a value by const', () => {
  const schemas = { Shape: union(['Circle', 'Square']), Circle: shape(TEXT), Square: shape({ const: 'flat' }, 'kind') };
  expect(adopted(documentOf(schemas, ['Shape'])).open).toEqual([
    expect.stringMatching(
      /\n {2}openapi\.yaml:\d+:\d+: .*\n {2}openapi\.yaml:\d+:\d+ Circle requires kind: Circle \(post \/Shape\)\n {2}discriminators: /,
    ),
  ]);
});

test('changes a component once where two discriminators give it the same value', () => {
  const schemas = {
    Shape: union(['Circle', 'Square']),
    Form: union(['Circle']),
    Circle: shape(TEXT),
    Square: shape(TEXT),
  };
  const { schemas: made } = pinned(schemas, ['Shape', 'Form']);
  expect(made).toMatchObject({ Circle: { properties: { kind: { const: 'Circle' } } } });
  expect(Object.keys(made).filter((name) => name.includes('As'))).toEqual([]);
});

test('keeps a component that an alias of YAML repeats', () => {
  const schemas = { Shape: union(['Circle', 'Square']), Circle: shape(TEXT), Square: { type: 'object' } };
  const yaml = documentOf(schemas, ['Shape']).replace('    Circle:\n', '    Circle: &c\n');
  const { document } = adopted(`${yaml}    Ring: *c\n`, 'discriminators: const\n');
  expect(at(document, ['components', 'schemas', 'Ring'])).toEqual(schemas.Circle);
});

test.each<[why: string, schemas: Schemas]>([
  ['a branch is no component', { Shape: { ...union(['Circle']), oneOf: [ref('Circle'), TEXT] }, Circle: shape(TEXT) }],
  [
    'a branch forbids the property',
    { Shape: union(['Circle', 'Dot']), Circle: shape(TEXT), Dot: { type: 'object', additionalProperties: false } },
  ],
  [
    'two branches have the same value',
    { Shape: union(['Circle', 'Ring']), Circle: shape({ const: 'o' }), Ring: shape({ const: 'o' }) },
  ],
])('says that a discriminator is left out where %s', (_, schemas) => {
  expect(adopted(documentOf(schemas, ['Shape'])).open).toEqual([
    expect.stringMatching(/^discriminators: .*\n.*; no const mends it, and it is left out \(post \/Shape\)\n/),
  ]);
  const { Shape, ...branches } = pinned(schemas, ['Shape']).schemas;
  const { Shape: before, ...others } = schemas;
  expect([Shape, branches]).toMatchObject([{ oneOf: (before as { oneOf: object }).oneOf }, others]);
  expect(Shape).not.toHaveProperty('discriminator');
});

test('makes a component of each branch that stands beside a discriminator and fixes its value, and asks nothing', () => {
  const inline = [
    { title: 'A circle', ...shape({ const: 'round' }, 'kind') },
    shape({ enum: ['flat', 'wide'] }, 'kind'),
  ];
  const Shape = { ...union(['Dot']), oneOf: [ref('Dot'), ...inline] };
  const made = adopted(
    documentOf({ Shape, Dot: shape({ const: 'Dot' }, 'kind') }, ['Shape'], { kind: 'wide', size: 1 }),
  );
  expect(made).toMatchObject({ open: [], refusals: [] });
  expect(at(made.document, ['components', 'schemas'])).toMatchObject({
    Shape: {
      oneOf: ['Dot', 'Acircle', 'Kind'].map(ref),
      discriminator: {
        mapping: { Dot: pathOf('Dot'), round: pathOf('Acircle'), flat: pathOf('Kind'), wide: pathOf('Kind') },
      },
    },
    Acircle: inline[0],
    Kind: inline[1],
  });
});

test('removes a value of a mapping that leads to no branch', () => {
  const schemas = {
    Shape: union(['Circle'], { round: pathOf('Circle'), other: pathOf('Square') }),
    Circle: shape({ const: 'round' }, 'kind'),
    Square: shape(TEXT),
  };
  const { schemas: made, edits } = pinned(schemas, ['Shape']);
  expect(edits).toEqual(['a value of a mapping that leads to no branch was removed: the branches decide']);
  expect(made).toMatchObject({ Shape: { discriminator: { mapping: { round: pathOf('Circle') } } } });
});

test('keeps an example that its schema allows once the branches have their values', () => {
  const schemas = { Shape: union(['Circle', 'Square']), Circle: shape(TEXT), Square: shape(TEXT) };
  const yaml = documentOf(schemas, ['Shape'], { kind: 'Square', size: 1 });
  expect(adopted(yaml).open).toEqual([expect.stringMatching(/^discriminators: /)]);
  const { text } = adopted(yaml, 'discriminators: const\n');
  expect(text).toMatch(/example:\n +kind: Square\n/);
});
