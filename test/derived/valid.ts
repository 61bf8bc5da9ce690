import fc from 'fast-check';
import type { Resolve } from '../../src/contract/document.ts';
import { type Json, Members } from './json.ts';
import { integerRange, type Keywords, requireKnown } from './schemas.ts';

/** How many characters or items are generated where the contract sets no limit. */
const UNLIMITED = 300;

/** Values that a schema allows. @throws Error if it has a keyword that is not known here */
export function valid(reference: Keywords, resolve: Resolve): fc.Arbitrary<Json> {
  const schema = resolved(reference, resolve);
  const { type, enum: values, const: only, anyOf, oneOf } = schema;
  const alternatives = anyOf ?? oneOf;
  if (alternatives !== undefined) {
    requireKnown(schema, 'anyOf', 'oneOf');
    // Of oneOf, a value that two of them allow is sorted out by the judge.
    return fc.oneof(...alternatives.map((each) => valid(each, resolve)));
  }
  if (only !== undefined || values !== undefined) {
    requireKnown(schema, 'type', 'const', 'enum', 'format');
    return fc.constantFrom(...(values ?? [only]).map(fromDocument));
  }
  if (Array.isArray(type)) return fc.oneof(...type.map((each: string) => valid({ ...schema, type: each }, resolve)));
  return ofType(schema, resolve);
}

/** @throws Error if beside the reference stands what the place that it leads to does not have */
export function resolved(schema: Keywords, resolve: Resolve): Keywords {
  if (schema.$ref !== undefined) requireKnown(schema, '$ref');
  const target = resolve(schema);
  const { allOf, ...own } = target;
  if (allOf === undefined) return target;
  const merged: Keywords[] = [own, ...allOf.map((each) => resolved(each, resolve))];
  const names = merged.flatMap(Object.keys).filter((name) => !['type', 'properties', 'required'].includes(name));
  if (new Set(names).size < names.length) throw new Error(`allOf with repeated keywords: ${JSON.stringify(schema)}`);
  return {
    ...Object.assign({}, ...merged),
    properties: Object.assign({}, ...merged.map(({ properties }) => properties)) as Keywords['properties'] & object,
    required: merged.flatMap(({ required = [] }) => required),
  } as Keywords;
}

function ofType(schema: Keywords, resolve: Resolve): fc.Arbitrary<Json> {
  switch (schema.type) {
    case 'object':
      return object(schema, resolve);
    case 'array': {
      requireKnown(schema, 'type', 'items', 'minItems', 'maxItems');
      const { items, minItems = 0, maxItems = minItems + 5 } = schema;
      if (typeof items !== 'object') throw new Error(`an array must say what its items are: ${JSON.stringify(schema)}`);
      return fc.array(valid(items, resolve), { minLength: minItems, maxLength: maxItems });
    }
    case 'string':
      return string(schema);
    case 'integer':
      return integer(schema);
    case 'number':
      requireKnown(schema, 'type', 'minimum', 'maximum', 'format');
      return fc
        .double({ noNaN: true, noDefaultInfinity: true, min: schema.minimum ?? -1e300, max: schema.maximum ?? 1e300 })
        .map(fromDocument);
    case 'boolean':
      requireKnown(schema, 'type');
      return fc.boolean();
    case 'null':
      requireKnown(schema, 'type');
      return fc.constant(null);
    default:
      throw new Error(
        `test/derived does not know the type of ${JSON.stringify(schema)}: teach it, or it goes untested`,
      );
  }
}

/** A value that JSON.parse or YAML has made, with its integers as `Json` has them. */
function fromDocument(value: unknown): Json {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromDocument);
  if (typeof value !== 'object' || value === null) return value as Json;
  return new Members(Object.entries(value).map(([name, each]) => [name, fromDocument(each)]));
}

function object(schema: Keywords, resolve: Resolve): fc.Arbitrary<Json> {
  requireKnown(schema, 'type', 'properties', 'required', 'additionalProperties', 'unevaluatedProperties');
  const { properties = {}, required = [] } = schema;
  const members = Object.entries(properties).map(([name, each]) => {
    const member = valid(each, resolve).map((value) => [name, value] as const);
    return required.includes(name) ? member : fc.option(member, { nil: undefined });
  });
  return fc.tuple(...members).map((all) => new Members(all.filter((each) => each !== undefined)));
}

/** Around these, numbers change their representation somewhere. */
const EDGES = [0n, 2n ** 31n, 2n ** 32n, 2n ** 53n, 2n ** 63n, 10n ** 15n, 10n ** 18n]
  .flatMap((edge) => [edge, -edge])
  .flatMap((edge) => [-2n, -1n, 0n, 1n, 2n].map((step) => edge + step));

function integer(schema: Keywords): fc.Arbitrary<bigint> {
  requireKnown(schema, 'type', 'format', 'minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum');
  const { min, max } = integerRange(schema);
  const edges = [min, max, ...EDGES].filter((edge) => edge >= min && edge <= max);
  return fc.oneof(
    { weight: 6, arbitrary: fc.bigInt({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(...edges) },
  );
}

/** Characters of one, two, three and four bytes, what is made of several, and what is not seen. */
const CHARACTER = fc.oneof(
  fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  fc.constantFrom(...Array.from('aé中🌱\u0301\u200d\u007f\u2028\ufeff\uffff\u{10ffff}"\\')),
);

/** Strings of so many characters, of all kinds. */
export function characters(min: number, max: number): fc.Arbitrary<string> {
  const exactly = (length: number) => CHARACTER.map((character) => character.repeat(length));
  const many = fc.string({ unit: 'binary', minLength: min, maxLength: max, size: 'max' });
  const some = fc.string({ unit: CHARACTER, minLength: min, maxLength: max });
  return fc.oneof({ weight: 6, arbitrary: some }, { weight: 1, arbitrary: fc.oneof(many, exactly(max), exactly(min)) });
}

function string(schema: Keywords): fc.Arbitrary<string> {
  requireKnown(schema, 'type', 'minLength', 'maxLength', 'pattern');
  const { minLength: min = 0, maxLength: max = min + UNLIMITED, pattern } = schema;
  const any = characters(min, max);
  if (pattern === undefined) return any;
  const expression = new RegExp(pattern, 'u');
  const fits = (text: string) => expression.test(text) && lengthOf(text) >= min && lengthOf(text) <= max;
  // Few patterns forbid little, and all others tell how to make what they allow.
  for (const each of [any, fc.stringMatching(expression)]) {
    if (fc.sample(each, 100).filter(fits).length > 50) return each.filter(fits);
  }
  throw new Error(`test/derived does not find strings that match ${pattern}: teach it, or it goes untested`);
}

/** In characters, as JSON Schema counts. */
export function lengthOf(text: string): number {
  return Array.from(text).length;
}
