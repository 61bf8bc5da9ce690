import { isDeepStrictEqual } from 'node:util';
import { listOf, type Node } from './nodes.ts';
import type { RuleName } from './rules.ts';

/** Names the rule for what a keyword of JSON Schema was and is (undefined: absent); undefined if they mean the same. */
type Judge = (was: unknown, is: unknown) => RuleName | undefined;

const lowest =
  (absent: number): Judge =>
  (was = absent, is = absent) => {
    if (was === is) return undefined;
    if (typeof was !== 'number' || typeof is !== 'number') return 'anything else';
    return is < was ? 'limit widened' : 'limit narrowed';
  };
const highest: Judge = (was = Infinity, is = Infinity) => {
  if (was === is) return undefined;
  if (typeof was !== 'number' || typeof is !== 'number') return 'anything else';
  return is > was ? 'limit widened' : 'limit narrowed';
};

const pattern: Judge = (was, is) => {
  if (was === is) return undefined;
  return is === undefined ? 'limit widened' : was === undefined ? 'limit narrowed' : 'pattern changed';
};

const format: Judge = (was, is) => {
  if (was === is) return undefined;
  if (was === 'int32' && is === 'int64') return 'values added';
  return was === 'int64' && is === 'int32' ? 'values removed' : 'format changed';
};

const uniqueItems: Judge = (was = false, is = false) => {
  if (was === is) return undefined;
  return is === false ? 'values added' : 'values removed';
};

const multipleOf: Judge = (was, is) => {
  if (was === is) return undefined;
  const divides = (one: unknown, other: unknown) =>
    one === undefined ||
    (Number.isSafeInteger(one) && Number.isSafeInteger(other) && Number(other) % Number(one) === 0);
  return ruleForSets(divides(is, was), divides(was, is));
};

const NUMBERS = ['number', 'integer'];
const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'number', 'integer'];
const type: Judge = (was = TYPES, is = TYPES) => {
  const kinds = (value: unknown) => new Set([value].flat().flatMap((each) => (each === 'number' ? NUMBERS : [each])));
  const [before, after] = [kinds(was), kinds(is)];
  return ruleForSets(before.isSubsetOf(after), after.isSubsetOf(before));
};

const defaultValue: Judge = (was, is) => (isDeepStrictEqual(was, is) ? undefined : 'default changed');

/** The keywords that can be judged each by itself: a value is valid if it is by all of them. */
export const KEYWORDS: ReadonlyMap<string, Judge> = new Map(
  Object.entries({
    minLength: lowest(0),
    minItems: lowest(0),
    minProperties: lowest(0),
    minimum: lowest(-Infinity),
    exclusiveMinimum: lowest(-Infinity),
    maxLength: highest,
    maxItems: highest,
    maxProperties: highest,
    maximum: highest,
    exclusiveMaximum: highest,
    pattern,
    format,
    uniqueItems,
    multipleOf,
    type,
    default: defaultValue,
  }),
);

/** The values that `enum` and `const` leave; undefined: any. */
export function listedValues(schema: Node): readonly unknown[] | undefined {
  const listed = Array.isArray(schema['enum']) ? listOf(schema['enum']) : undefined;
  if (!('const' in schema)) return listed;
  return [schema['const']].filter((value) => listed === undefined || isOneOf(listed, value));
}

export function judgeListedValues(
  was: readonly unknown[] | undefined,
  is: readonly unknown[] | undefined,
): RuleName | undefined {
  const within = (some: typeof was, all: typeof was) =>
    all === undefined || (some?.every((value) => isOneOf(all, value)) ?? false);
  return ruleForSets(within(was, is), within(is, was));
}

function isOneOf(values: readonly unknown[], value: unknown): boolean {
  return values.some((each) => isDeepStrictEqual(each, value));
}

function ruleForSets(allKept: boolean, noneAdded: boolean): RuleName | undefined {
  if (allKept && noneAdded) return undefined;
  return allKept ? 'values added' : noneAdded ? 'values removed' : 'values changed';
}
