import fc from 'fast-check';
import type { Resolve } from '../../src/contract/document.ts';
import { type Json, Members, Written } from './json.ts';
import { integerRange, type Keywords } from './schemas.ts';
import { characters, resolved, valid } from './valid.ts';

/** A way to break one constraint of a schema: what becomes of a value that fits it. */
export interface Break {
  /** What is broken, such as `too long`. */
  readonly kind: string;
  readonly apply: fc.Arbitrary<(value: Json) => Json>;
}

/** What a schema forbids, keyword by keyword. Some of it another keyword may allow: the judge sorts that out. */
export function breaks(reference: Keywords, resolve: Resolve): Break[] {
  const schema = resolved(reference, resolve);
  const alternatives = schema.anyOf ?? schema.oneOf;
  if (alternatives !== undefined) return alternatives.flatMap((each) => breaks(each, resolve));
  const types = [schema.type ?? []].flat();
  return [
    ...ofWrongType(types),
    ...(schema.enum !== undefined || schema.const !== undefined ? replacing('not in the enum', ANY_JSON) : []),
    ...types.flatMap((type) => ofType({ ...schema, type }, resolve)),
  ];
}

function replacing(kind: string, values: fc.Arbitrary<Json>): [Break] {
  return [{ kind, apply: values.map((value) => () => value) }];
}

const TEXT = fc.string({ unit: 'grapheme' });
const TYPES: Readonly<Record<string, fc.Arbitrary<Json>>> = {
  null: fc.constant(null),
  boolean: fc.boolean(),
  integer: fc.bigInt(-(2n ** 65n), 2n ** 65n),
  number: fc.constantFrom(0.5, -1.5, 1e-7),
  string: fc.oneof(TEXT, fc.bigInt().map(String), fc.constantFrom('', 'true', 'null', '1', '9007199254740993')),
  array: fc.oneof(fc.constant([]), fc.array(TEXT, { maxLength: 3 })),
  object: fc.oneof(
    fc.constant(new Members([])),
    fc.uniqueArray(fc.tuple(TEXT, TEXT), { maxLength: 3, selector: ([name]) => name }).map((all) => new Members(all)),
  ),
};
const ANY_JSON = fc.oneof(...Object.values(TYPES));

function ofWrongType(types: readonly string[]): Break[] {
  if (types.length === 0) return [];
  const right = new Set([...types, ...(types.includes('number') ? ['integer'] : [])]);
  return Object.entries(TYPES)
    .filter(([type]) => !right.has(type))
    .flatMap(([type, values]) => replacing(`${article(type)} in place of ${types.map(article).join(' or ')}`, values));
}

function article(type: string): string {
  return type === 'null' ? type : `${/^[aio]/.test(type) ? 'an' : 'a'} ${type}`;
}

function ofType(schema: Keywords & { readonly type: string }, resolve: Resolve): Break[] {
  switch (schema.type) {
    case 'object':
      return ofObject(schema, resolve);
    case 'array':
      return ofArray(schema, resolve);
    case 'string':
      return ofString(schema);
    case 'integer':
      return ofInteger(schema);
    default:
      // What valid.ts knows has no other constraints; a bound of a number counts as one of the wrong type.
      return [];
  }
}

/** Names that mean something elsewhere, or differ from those that are declared by little. */
function unknownNames(names: readonly string[]): fc.Arbitrary<string> {
  const near = names.flatMap((name) => [name.toUpperCase(), ` ${name}`, `${name}\0`, `${name}s`, name.slice(1)]);
  return fc
    .oneof(TEXT, fc.constantFrom('', '__proto__', 'constructor', 'toString', '$ref', ...near))
    .filter((name) => !names.includes(name));
}

function ofObject({ properties = {}, required = [], ...schema }: Keywords, resolve: Resolve): Break[] {
  const onMembers = (change: (members: Members) => Json) => (value: Json) =>
    value instanceof Members ? change(value) : value;
  const closed = schema.additionalProperties === false || schema.unevaluatedProperties === false;
  return [
    ...required.map((name) => ({
      kind: 'a required member missing',
      apply: fc.constant(onMembers((members) => members.without(name))),
    })),
    ...(closed
      ? [
          {
            kind: 'an unknown member',
            apply: fc
              .tuple(unknownNames(Object.keys(properties)), ANY_JSON)
              .map(([name, value]) => onMembers((members) => members.with(name, value))),
          },
        ]
      : []),
    {
      kind: 'a member twice',
      apply: fc.tuple(fc.nat(), fc.option(ANY_JSON)).map(([at, other]) =>
        onMembers((members) => {
          const [name, value] = members.list[at % members.list.length] ?? ['', null];
          return members.list.length === 0 ? members : members.with(name, other ?? value);
        }),
      ),
    },
    ...Object.entries(properties).flatMap(([name, each]) =>
      breaks(each, resolve).map(({ kind, apply }) => ({
        kind,
        apply: fc
          .tuple(valid(each, resolve), apply)
          .map(([value, change]) => onMembers((members) => members.without(name).with(name, change(value)))),
      })),
    ),
  ];
}

function ofArray({ items, minItems = 0, maxItems }: Keywords, resolve: Resolve): Break[] {
  if (typeof items !== 'object') return [];
  const several = (length: number) => fc.array(valid(items, resolve), { minLength: length, maxLength: length });
  return [
    ...(minItems > 0 ? replacing('too few items', several(minItems - 1)) : []),
    ...(maxItems === undefined ? [] : replacing('too many items', several(maxItems + 1))),
    ...breaks(items, resolve).map(({ kind, apply }) => ({
      kind,
      apply: fc.tuple(valid(items, resolve), apply).map(([value, change]) => () => [change(value)]),
    })),
  ];
}

/** Characters that a pattern may forbid: controls, white space, signs, letters. */
const SUSPECTS = Array.from('\0\u0001\n "/-Aa0é🌱');

function ofString({ minLength = 0, maxLength, pattern }: Keywords): Break[] {
  const found: Break[] = [];
  if (minLength > 0) found.push(...replacing('too short', characters(0, minLength - 1)));
  if (maxLength !== undefined) found.push(...replacing('too long', characters(maxLength + 1, maxLength + 50)));
  if (pattern === undefined) return found;
  const expression = new RegExp(pattern, 'u');
  const breaking = (text: string) => !expression.test(text);
  const forbidden = ['', ...SUSPECTS].filter((suspect) => breaking(suspect) || breaking(`a${suspect}a`));
  if (forbidden.length === 0) throw new Error(`test/derived finds no string that breaks ${pattern}: teach it`);
  const apply = fc.tuple(fc.constantFrom(...forbidden), fc.nat()).map(([suspect, at]) => (value: Json) => {
    // Strings are put together by characters, or a half would become part of a pair.
    const text = typeof value === 'string' ? Array.from(value) : [];
    // In place of one, so that nothing else is broken.
    return text.length === 0 ? suspect : text.with(at % text.length, suspect).join('');
  });
  return [...found, { kind: 'a pattern broken', apply }];
}

function ofInteger(schema: Keywords): Break[] {
  const { min, max } = integerRange(schema);
  const far = 2n ** 70n;
  // Where no int64 stands, a body with a number beyond the doubles is not JSON to the service.
  const isInt64 = schema.format === 'int64';
  const fraction = fc
    .tuple(fc.bigInt({ min, max }), fc.constantFrom('5', '000000000000000000000001', '99999999999999999999'))
    .map(([whole, digits]) => new Written(`${String(whole)}.${digits}`));
  return [
    ...replacing('an integer out of range', fc.oneof(fc.bigInt(max + 1n, max + far), fc.bigInt(min - far, min - 1n))),
    ...replacing(
      'an integer out of range',
      fc.constantFrom(max + 1n, min - 1n, 2n ** 64n, ...(isInt64 ? [10n ** 400n, -(10n ** 400n)] : [])),
    ),
    ...replacing(
      'an integer written out of range',
      fc.constantFrom('9.3e18', '1e19', ...(isInt64 ? ['1e400', '-1e400'] : [])).map(written),
    ),
    ...replacing('an integer with a fraction', fraction),
    ...replacing(
      'an integer with a fraction',
      fc.constantFrom('1e-400', '9007199254740992.5', '-0.1', '15e-1').map(written),
    ),
    ...replacing('an integer as a string', fc.bigInt({ min, max }).map(String)),
  ];
}

function written(text: string): Written {
  return new Written(text);
}
