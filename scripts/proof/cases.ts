import { locationOf } from '../../src/contract/document.ts';
import { STRING_FORMATS } from '../../src/contract/formats.ts';
import { exactJson } from '../../src/contract/int64.ts';
import type { Candidates } from './candidates.ts';
import { BITS, type Judge, type Keywords, type Schema } from './judge.ts';
import { MAX_COUNT, MAX_LENGTH } from './scalars.ts';
import type { Json } from './values.ts';

export type At = readonly [schema: Keywords, keyword: string];

/** A value with the verdict of the judge. */
export interface Case {
  readonly value: Json;
  readonly isValid: boolean;
  /** The keywords that an invalid value breaks, or the keywords of the schema that proposed a valid value. */
  readonly keywords: () => readonly At[];
}

/** A keyword that no value breaks or, unless `isJudging`, that applies to no valid value. */
export interface Unproved {
  readonly at: At;
  readonly isJudging: boolean;
}

export interface Cases {
  readonly cases: readonly Case[];
  readonly unproved: readonly Unproved[];
}

interface Seen {
  /** `true` if a value kept the keyword, `false` if a value broke it. */
  readonly outcomes: Set<boolean>;
  /** `true` if the keyword applied to a valid value, `false` if it applied to an invalid one. */
  readonly verdicts: Set<boolean>;
}

/** @param isMeant returns whether the receiver reads the same value that was sent */
export function casesOf(
  schema: Schema,
  candidates: Candidates,
  isMeant: (value: Json, isValid: boolean) => boolean,
): Cases {
  const { judge } = candidates;
  const seen = new Map<Keywords, Map<string, Seen>>();
  const cases = candidates.of([schema]).flatMap(({ value, schema: tried }): Case[] => {
    const { isValid, heard } = judged(judge, schema, value);
    for (const [[at, name], holds] of heard) {
      const ofSchema = seen.get(at) ?? new Map<string, Seen>();
      seen.set(at, ofSchema);
      const { outcomes, verdicts } = ofSchema.get(name) ?? { outcomes: new Set(), verdicts: new Set() };
      ofSchema.set(name, { outcomes: outcomes.add(holds), verdicts: verdicts.add(isValid) });
    }
    const keywords = () => (isValid ? keywordsOf(tried) : brokenBy(judge, schema, value));
    return isMeant(value, isValid) ? [{ value, isValid, keywords }] : [];
  });
  const unproved = keywordsIn(schema, judge).flatMap(({ at, isForbidding }): Unproved[] => {
    const { outcomes, verdicts } = seen.get(at[0])?.get(at[1]) ?? { outcomes: new Set(), verdicts: new Set() };
    const isBroken = outcomes.has(false) && verdicts.has(false);
    const isJudging = verdicts.has(true) && outcomes.has(true);
    // No valid value can contain what the schema `false` forbids.
    if (!isInContract(at[0]) || (isBroken && (isJudging || isForbidding))) return [];
    return [{ at, isJudging: verdicts.has(true) }];
  });
  return { cases, unproved };
}

function judged(judge: Judge, schema: Schema, value: Json) {
  const heard: (readonly [at: At, holds: boolean])[] = [];
  const isValid = judge.isValid(schema, value, (at, name, holds) => {
    heard.push([[at, name], holds]);
    return holds;
  });
  return { isValid, heard };
}

/** The keywords that a value breaks; preferably those that alone make it invalid. */
function brokenBy(judge: Judge, schema: Schema, value: Json): readonly At[] {
  const broken = judged(judge, schema, value).heard.flatMap(([at, holds]) => (holds ? [] : [at]));
  const outermost = broken.filter(([, name]) => !INNER.includes(name));
  const deciding = outermost.filter(([at, name]) =>
    judge.isValid(schema, value, (other, another, holds) => holds || (other === at && another === name)),
  );
  return [deciding, outermost].find((each) => each.length > 0) ?? broken;
}

function keywordsOf(schema: Keywords): readonly At[] {
  const names = Object.keys(schema).filter((name) => isAssertion(schema, name as keyof Keywords, []));
  return names.length > 0 && isInContract(schema) ? names.map((name): At => [schema, name]) : [[schema, '']];
}

/** Keywords that break only because a schema inside them breaks. */
const INNER = ['$ref', 'allOf', 'properties', 'patternProperties', 'items', 'prefixItems', 'then', 'else'];

/** A schema without a location is one that subjects.ts has built around the schemas of the contract. */
function isInContract(schema: Keywords): boolean {
  return locationOf(schema) !== locationOf(undefined);
}

/** Such as `openapi.yaml:12:9 maxLength: 200`. */
export function shown([schema, keyword]: At): string {
  const value: unknown = schema[keyword as keyof Keywords];
  const text = value === undefined ? '' : ` ${keyword}: ${exactJson(value)}`;
  return `${locationOf(schema)}${text.length > 100 ? `${text.slice(0, 100)}…` : text}`;
}

interface Breakable {
  readonly at: At;
  /** Whether the keyword has the schema `false`, or `not` has an empty one. */
  readonly isForbidding: boolean;
}

/** Finds each keyword that a value can break, in all schemas that the root contains or refers to. */
function keywordsIn(root: Schema, judge: Judge): Breakable[] {
  const met = new Map<Keywords, Map<string, Breakable>>();
  const seen = new Map<Schema, Set<string>>();
  const visit = (schema: Schema, around: readonly string[]): void => {
    if (typeof schema === 'boolean') return;
    const barred = judge.barred(schema, around);
    const places = seen.get(schema) ?? new Set();
    seen.set(schema, places);
    const place = barred.toSorted().join();
    if (places.has(place)) return;
    places.add(place);
    const found = met.get(schema) ?? new Map<string, Breakable>();
    met.set(schema, found);
    for (const keyword of Object.keys(schema) as (keyof Keywords)[]) {
      const beneath = schemasIn(schema, keyword, judge, barred);
      beneath.forEach((each) => {
        visit(each, IN_PLACE.includes(keyword) ? barred : []);
      });
      const isForbidding =
        found.get(keyword)?.isForbidding === true ||
        (keyword === 'not' ? isEmpty(schema.not) : beneath.includes(false));
      if (isForbidding || isAssertion(schema, keyword, barred))
        found.set(keyword, { at: [schema, keyword], isForbidding });
    }
  };
  visit(root, []);
  return [...met.values()].flatMap((found) => [...found.values()]);
}

/** @param barred the names of members that are not sent in the judge's direction (request or reply) */
function schemasIn(
  schema: Keywords,
  keyword: keyof Keywords,
  judge: Judge,
  barred: readonly string[],
): readonly Schema[] {
  if (keyword === '$ref') return [judge.follow(schema.$ref ?? '')];
  const value: unknown = schema[keyword];
  if (ONE.includes(keyword)) return [value as Schema];
  if (LISTS.includes(keyword)) return value as Schema[];
  if (!MAPS.includes(keyword)) return [];
  const isBarred = (name: string) => keyword === 'properties' && barred.includes(name);
  return Object.entries(value as Record<string, Schema>).map(([name, each]) => !isBarred(name) && each);
}

const ONE = [
  ...['not', 'if', 'then', 'else', 'items', 'contains'],
  ...['additionalProperties', 'unevaluatedProperties', 'propertyNames'],
];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
/** Keywords whose schemas apply to the same value. */
const IN_PLACE = ['$ref', 'allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
const MAPS = ['properties', 'patternProperties', 'dependentSchemas'];
const ASSERTIONS = [
  ...['type', 'enum', 'const', 'multipleOf', 'maximum', 'exclusiveMaximum', 'minimum', 'exclusiveMinimum'],
  ...['pattern', 'anyOf', 'oneOf', 'not'],
];

function isEmpty(schema: Schema = {}): boolean {
  return schema === true || Object.keys(schema).length === 0;
}

/** Whether a value without the barred members can break the keyword: no value breaks `minLength: 0`. */
function isAssertion(schema: Keywords, keyword: keyof Keywords, barred: readonly string[]): boolean {
  const value: unknown = schema[keyword];
  if (keyword === 'format') return String(value) in STRING_FORMATS || String(value) in BITS;
  if (keyword === 'contains') return schema.minContains === undefined;
  if (keyword === 'uniqueItems') return value === true;
  if (/^min[A-Z]/.test(keyword)) return value !== 0;
  if (/^max[A-Z]/.test(keyword)) return Number(value) < (keyword === 'maxLength' ? MAX_LENGTH : MAX_COUNT);
  const { required = [], dependentRequired = {} } = schema;
  const isDemanded = (name: string) => !barred.includes(name);
  if (keyword === 'required') return required.some(isDemanded);
  if (keyword === 'dependentRequired') return Object.values(dependentRequired).flat().some(isDemanded);
  return ASSERTIONS.includes(keyword);
}
