import fc from 'fast-check';

/** A part of the earlier contract, and the same part of the later contract. */
export type Pair<T> = readonly [was: T, is: T];
type Schema = Readonly<Record<string, unknown>> | boolean;

const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'number', 'integer'];
const NAMES = ['a', 'b', 'c'];
const VALUES = [null, true, 0, 1, 2, 0.5, '', 'a', 'ab', [], [1], {}, { a: 1 }];

/** Generates mostly pairs of equal values: with few changes in a contract, one change seldom hides another. */
function pairOf<T>(value: fc.Arbitrary<T>): fc.Arbitrary<Pair<T>> {
  return fc.oneof(
    { weight: 6, arbitrary: value.map((same): Pair<T> => [same, same]) },
    { weight: 1, arbitrary: fc.tuple(value, value) },
  );
}
/** In most pairs, leaves the keyword out of both schemas; in a few pairs, out of one schema. */
function optional<T>(pair: fc.Arbitrary<Pair<T>>, weight = 1): fc.Arbitrary<Pair<T | undefined>> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 50, arbitrary: fc.constant<Pair<undefined>>([undefined, undefined]) },
    { weight: 4 * weight, arbitrary: pair },
    { weight: 1, arbitrary: pair.map(([was]): Pair<T | undefined> => [was, undefined]) },
    { weight: 1, arbitrary: pair.map(([, is]): Pair<T | undefined> => [undefined, is]) },
  );
}
/** Makes a pair of objects from pairs of members. */
function across<T>(members: readonly (readonly [string, Pair<T | undefined>])[]): Pair<Record<string, T>> {
  const side = (index: 0 | 1) =>
    Object.fromEntries(
      members.flatMap(([name, pair]) => (pair[index] === undefined ? [] : [[name, pair[index]] as const])),
    );
  return [side(0), side(1)];
}
const count = pairOf(fc.nat(3));
const integer = pairOf(fc.integer({ min: -2, max: 4 }));

const { schema } = fc.letrec<{ schema: Pair<Schema>; child: Pair<Schema>; reference: Pair<Schema> }>((tie) => {
  const inner = (weight = 1) => optional(tie('child'), weight);
  const branches = fc
    .array(fc.tuple(tie('schema'), fc.constantFrom('both', 'both', 'both', 'was', 'is')), {
      minLength: 1,
      maxLength: 3,
    })
    .map((each): Pair<Schema[]> => {
      const side = (index: 0 | 1, other: string) =>
        each.flatMap(([pair, where]) => (where === other ? [] : [pair[index]]));
      return [side(0, 'is'), side(1, 'was')];
    })
    .filter(([was, is]) => was.length > 0 && is.length > 0);
  const named = (weight: number) =>
    fc
      .tuple(...NAMES.map(() => inner(weight)))
      .map((pairs) => across(pairs.map((pair, index) => [NAMES[index] ?? '', pair] as const)));
  const keywords: Record<string, fc.Arbitrary<Pair<unknown>>> = {
    type: optional(pairOf(fc.uniqueArray(fc.constantFrom(...TYPES), { minLength: 1, maxLength: 3 })), 3),
    format: optional(pairOf(fc.constantFrom('int32', 'int64'))),
    enum: optional(pairOf(fc.uniqueArray(fc.constantFrom(...VALUES), { minLength: 1, maxLength: 6 }))),
    const: optional(pairOf(fc.constantFrom(...VALUES))),
    ...Object.fromEntries(
      ['minLength', 'maxLength', 'minItems', 'maxItems', 'minProperties', 'maxProperties'].map((name) => [
        name,
        optional(count),
      ]),
    ),
    ...Object.fromEntries(
      ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'].map((name) => [name, optional(integer)]),
    ),
    multipleOf: optional(pairOf(fc.constantFrom(0.5, 1, 2, 4))),
    pattern: optional(pairOf(fc.constantFrom('^a', 'b$'))),
    uniqueItems: optional(pairOf(fc.boolean())),
    properties: optional(named(8), 4),
    required: optional(pairOf(fc.uniqueArray(fc.constantFrom(...NAMES), { maxLength: 2 }))),
    additionalProperties: inner(3),
    patternProperties: optional(inner(9).map((pair) => across([['^[ab]', pair]]))),
    propertyNames: inner(0),
    items: inner(),
    prefixItems: optional(branches),
    contains: inner(0),
    allOf: optional(branches),
    anyOf: optional(branches),
    oneOf: optional(branches),
    not: optional(tie('schema'), 0),
    if: optional(tie('schema'), 0),
    then: optional(tie('schema'), 0),
    unevaluatedProperties: optional(pairOf(fc.constantFrom(false, { type: 'string' }))),
    unevaluatedItems: optional(pairOf(fc.constantFrom(false, { type: 'string' }))),
  };
  const node = fc
    .tuple(...Object.values(keywords))
    .map((pairs) => across(pairs.map((pair, index) => [Object.keys(keywords)[index] ?? '', pair] as const)));
  return {
    schema: fc.oneof(
      { depthSize: 'small', maxDepth: 3, depthIdentifier: 'schema' },
      { weight: 1, arbitrary: pairOf(fc.boolean()) },
      { weight: 9, arbitrary: node },
    ),
    // Only the schema of a nested value may be a reference: otherwise a schema could consist of a reference to itself.
    child: fc.oneof({ weight: 1, arbitrary: tie('reference') }, { weight: 5, arbitrary: tie('schema') }),
    reference: fc.tuple(pairOf(fc.constantFrom('Root', 'Other')), optional(count)).map(([names, maxLength]) =>
      across<unknown>([
        ['$ref', [`#/components/schemas/${names[0]}`, `#/components/schemas/${names[1]}`]],
        ['maxLength', maxLength],
      ]),
    ),
  };
});

/** Generates two documents, each with a schema `Root` that may refer to itself and to `Other`. */
export const documents = fc
  .tuple(schema, schema)
  .map(([root, other]): Pair<object> => [
    { components: { schemas: { Root: root[0], Other: other[0] } } },
    { components: { schemas: { Root: root[1], Other: other[1] } } },
  ]);

/** Generates small values. Many of them are valid under the schemas of this file. */
export const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...VALUES),
    fc.integer({ min: -3, max: 5 }),
    fc.constantFrom(2 ** 31, 'abc', 'ba', false),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...NAMES, 'd'), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));
