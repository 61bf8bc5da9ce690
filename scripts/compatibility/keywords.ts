import { isDeepStrictEqual } from 'node:util';
import { DEFAULT_BODY_BYTES } from '../../src/contract/body-limit.ts';
import { type Documents, listOf, type Node, unchanged } from './nodes.ts';
import type { RuleName } from './rules.ts';

/** A keyword whose change can be judged without the other keywords. */
interface Keyword {
  /** The value that means the same as a missing keyword. */
  readonly absent?: unknown;
  /** Names the rule for two different values; returns undefined if they mean the same. */
  readonly judge: (was: unknown, is: unknown) => RuleName | undefined;
}

/** A large integer is a bigint; `<` compares it with a number exactly. */
type Numeric = number | bigint;
const isNumeric = (value: unknown): value is Numeric => typeof value === 'number' || typeof value === 'bigint';
const limit = (absent: number, isWithin: (one: Numeric, other: Numeric) => boolean): Keyword => ({
  absent,
  judge: (was, is) => {
    if (!isNumeric(was) || !isNumeric(is)) return 'any other difference';
    if (isWithin(was, is)) return 'limit widened';
    return isWithin(is, was) ? 'limit narrowed' : undefined;
  },
});
const least = (absent: number) => limit(absent, (one, other) => other < one);
const most = (absent: number) => limit(absent, (one, other) => one < other);

const pattern: Keyword = {
  judge: (was, is) => (is === undefined ? 'limit widened' : was === undefined ? 'limit narrowed' : 'pattern changed'),
};

const format: Keyword = {
  judge: (was, is) => {
    if (was === 'int32' && is === 'int64') return 'values added';
    return was === 'int64' && is === 'int32' ? 'values removed' : 'format changed';
  },
};

const multipleOf: Keyword = {
  judge: (was, is) => {
    const divides = (one: unknown, other: unknown) =>
      one === undefined ||
      (Number.isSafeInteger(one) && Number.isSafeInteger(other) && Number(other) % Number(one) === 0);
    return ruleForSets(divides(is, was), divides(was, is));
  },
};

const type: Keyword = {
  absent: ['null', 'boolean', 'object', 'array', 'string', 'number'],
  judge: (was, is) => {
    const kinds = (value: unknown) =>
      new Set([value].flat().flatMap((each) => (each === 'number' ? ['number', 'integer'] : [each])));
    const [before, after] = [kinds(was), kinds(is)];
    return ruleForSets(before.isSubsetOf(after), after.isSubsetOf(before));
  },
};

const KEYWORDS = new Map<string, Keyword>(
  Object.entries({
    minLength: least(0),
    minItems: least(0),
    minProperties: least(0),
    minimum: least(-Infinity),
    exclusiveMinimum: least(-Infinity),
    maxLength: most(Infinity),
    maxItems: most(Infinity),
    maxProperties: most(Infinity),
    maximum: most(Infinity),
    exclusiveMaximum: most(Infinity),
    'x-max-body-bytes': most(DEFAULT_BODY_BYTES),
    pattern,
    format,
    uniqueItems: { absent: false, judge: (_was, is) => (is === false ? 'values added' : 'values removed') },
    multipleOf,
    type,
    default: { judge: () => 'default changed' },
  } satisfies Record<string, Keyword>),
);

/**
 * Returns the rule for a change of a schema keyword, or of a member of an object that is not a schema; undefined if the
 * change does not alter its meaning.
 */
export function judge(name: string, was: unknown, is: unknown, documents: Documents): RuleName | undefined {
  const keyword = KEYWORDS.get(name);
  if (keyword === undefined) return unchanged(was, is, documents, name) ? undefined : 'any other difference';
  const [before, after] = [was, is].map((value) => (value === undefined ? keyword.absent : value));
  return isDeepStrictEqual(before, after) ? undefined : keyword.judge(before, after);
}

export function canJudge(name: string): boolean {
  return KEYWORDS.has(name);
}

/** The values that `enum` and `const` allow; undefined if they allow all. */
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
