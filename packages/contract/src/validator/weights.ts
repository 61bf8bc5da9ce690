import { timePerCharacter } from '../rules/patterns.ts';
import type { Follow, Schema } from '../schema/document.ts';
import { Position } from '../schema/positions.ts';
import { keywordsThat, schemasOf } from '../schema/applicators.ts';
import { inPlace, joined } from '../schema/subschemas.ts';

// The table of what a schema spends each time that it is applied, in the unit of budget.ts. Each figure was measured.

/** The work to divide decimals of up to 600 digits; safe integers take no such division. */
const DIVISION = 8;
/** The work to begin to read a text as a regular expression. */
const REGEXP = 5;
/** The work to look for a declared member: clients choose the members of each object, so that no two need be alike to V8. */
const MEMBER = 0.75;
/** The work to fill in a default, and to check it. */
const FILLING = 3;
/** The work for each character of a name, as Ajv escapes it anew for each function that it calls below the member. */
export const NAME = 0.5;
/** The work for each fault so far, as Ajv copies them all when it calls another schema. */
export const COPY = 0.08;
/** Keywords whose schema each member, name or item may break. */
const OF_EACH = keywordsThat(({ to, holds }) => /other members|items|names/.test(to) && holds !== 'by a test');
const CHECK =
  /^(?:(?:exclusive)?(?:max|min)imum|(?:max|min)(?:Length|Items|Properties|Contains)|pattern|format|enum|const)$/i;

/** What a schema spends: once, for each character of a text, and for each member of an object. */
export interface Weights {
  /** Undefined for a schema that only the translation has. */
  readonly schema: Schema | undefined;
  readonly once: number;
  readonly character: number;
  readonly member: number;
  /** The most faults: one for each check, and one for each missing member. */
  readonly faults: number;
  /** Whether each member or item may be a fault of this schema itself. */
  readonly isClosed: boolean;
}

/** The work to call a schema, which spends by itself. */
export const CALL: Weights = { schema: undefined, once: 1, character: 0, member: 0, faults: 0, isClosed: false };

/** @param fills whether the service fills in defaults, as in requests */
export function weightsOf(schema: Schema, follow: Follow, fills: boolean): Weights {
  const { properties = {}, required = [], dependentRequired = {}, discriminator, oneOf, anyOf = [] } = schema;
  const dependent = sum(Object.values(dependentRequired).map(({ length }) => 1 + length));
  const names = Object.keys(properties).length + required.length + dependent;
  const choices = discriminator === undefined ? 0 : (oneOf ?? anyOf).length;
  const checks = Object.keys(schema).filter((keyword) => CHECK.test(keyword)).length;
  const reading = schema.format === 'regex' ? REGEXP : 0;
  const division = Number.isSafeInteger(schema.multipleOf ?? 1) ? 0 : DIVISION;
  const inherited = (schema.unevaluatedProperties ?? true) === true ? 0 : 1;
  const filling = fills && hasDefaults(schema, follow) ? FILLING * countFilledIn(new Position(schema, follow)) : 0;
  return {
    schema,
    once: 1 + names * MEMBER + choices / 2 + checks / 2 + reading + division + inherited + filling,
    character: ofCharacter(schema),
    member: ofMember(schema, follow),
    faults: 1 + checks + required.length + dependent,
    isClosed: schemasOf(schema, OF_EACH).includes(false),
  };
}

function ofCharacter(schema: Schema): number {
  const { pattern, format, patternProperties = {} } = schema;
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...Object.keys(patternProperties)];
  const lengths = ['minLength', 'maxLength'].filter((keyword) => keyword in schema).length;
  return (
    sum(patterns.map(timePerCharacter)) + lengths / 40 + (format === undefined ? 0 : format === 'regex' ? 1 : 0.25)
  );
}

/**
 * Each keyword that checks the members of an object visits all of them, in an order that V8 sorts each time: also
 * `additionalProperties: false`, which ends at the first member that the schema does not declare, but sorts before.
 */
function ofMember(schema: Schema, follow: Follow): number {
  const { additionalProperties = true, unevaluatedProperties = true, propertyNames = true } = schema;
  const patterns = Object.keys(schema.patternProperties ?? {}).length;
  const visits = [additionalProperties, unevaluatedProperties, propertyNames].filter((each) => each !== true);
  const counts = ['maxProperties', 'minProperties'].filter((keyword) => keyword in schema).length;
  // Ajv copies the names of evaluated members from schema to schema.
  const isCopied = inPlace([schema], follow).some(({ patternProperties }) => patternProperties !== undefined);
  return 2 * (visits.length + counts + patterns) + (isCopied ? 2.5 : 0);
}

function hasDefaults(schema: Schema, follow: Follow): boolean {
  const members = joined([schema], follow).flatMap(({ properties = {} }) => Object.values(properties));
  return joined(members, follow).some((each) => each.default !== undefined);
}

/** The number of values that defaults add to an empty object in this place. */
export function countFilledIn(place: Position): number {
  const known = new Map<unknown, number>();
  const missing = (value: object, place: Position) =>
    place.defaults
      .filter(({ name }) => !Object.hasOwn(value, name))
      .map((each) => {
        // 0 for a default within itself, which defaults.ts refuses.
        const before = known.get(each);
        if (before !== undefined) return before;
        known.set(each, 0);
        const count = countParts(each.value, each.position);
        known.set(each, count);
        return count;
      });
  const countParts = (value: unknown, place: Position): number => {
    if (typeof value !== 'object' || value === null) return 1;
    if (Array.isArray(value)) return 1 + sum(value.map((each, index) => countParts(each, place.item(index))));
    const own = Object.entries(value).map(([name, each]) => countParts(each, place.member(name)));
    return 1 + sum([...own, ...missing(value, place)]);
  };
  return countParts({}, place) - 1;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
