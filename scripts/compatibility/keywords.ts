import { isDeepStrictEqual } from 'node:util';
import { listOf, type Node } from './nodes.ts';
import type { RuleName } from './rules.ts';

/** A keyword that can be judged by itself: a value is valid if it is by all of them. */
interface Keyword {
  /** The value that means the same as no value. */
  readonly absent?: unknown;
  /** Names the rule for what it was and is, which differ; undefined if they mean the same. */
  readonly judge: (was: unknown, is: unknown) => RuleName | undefined;
}

const limit = (absent: number, isWider: (was: number, is: number) => boolean): Keyword => ({
  absent,
  judge: (was, is) => {
    if (typeof was !== 'number' || typeof is !== 'number') return 'anything else';
    return isWider(was, is) ? 'limit widened' : 'limit narrowed';
  },
});
const least = (absent: number) => limit(absent, (was, is) => is < was);
const most = limit(Infinity, (was, is) => is > was);

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
    maxLength: most,
    maxItems: most,
    maxProperties: most,
    maximum: most,
    exclusiveMaximum: most,
    pattern,
    format,
    uniqueItems: { absent: false, judge: (_was, is) => (is === false ? 'values added' : 'values removed') },
    multipleOf,
    type,
    default: { judge: () => 'default changed' },
  } satisfies Record<string, Keyword>),
);

export function canJudge(name: string): boolean {
  return KEYWORDS.has(name);
}

/** Names the rule for what such a keyword was and is; undefined if it means the same. */
export function judge(
  name: string,
  was: unknown = KEYWORDS.get(name)?.absent,
  is: unknown = KEYWORDS.get(name)?.absent,
): RuleName | undefined {
  return isDeepStrictEqual(was, is) ? undefined : KEYWORDS.get(name)?.judge(was, is);
}

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
