import type { AnySchema, Follow, Schema } from '../schema/document.ts';
import { timePerCharacter } from '../rules/patterns.ts';
import { Position } from '../schema/positions.ts';

// Work in the unit of work.ts: one schema that is applied to one value. Each figure was measured at the largest contract
// that work.ts accepts.

/** To have a text by which a part of an array is compared with others. */
export const COMPARISON = 6;
/** To divide decimals of 600 digits; safe integers need none. */
const DIVISION = 8;
/** To compile a text as a regular expression. */
const REGEXP = 20;
/** To fill in a default, and to check it. */
export const FILLING = 3;
/** For each character of a name: Ajv escapes the name anew in the path that it hands to a schema. */
export const NAME = 0.5;
const CHECK =
  /^(?:(?:exclusive)?(?:max|min)imum|(?:max|min)(?:Length|Items|Properties|Contains)|pattern|format|enum|const)$/i;

export function workOf({
  properties = {},
  required = [],
  discriminator,
  oneOf,
  anyOf = [],
  ...schema
}: Schema): number {
  const { dependentRequired = {}, format, multipleOf } = schema;
  const dependent = Object.values(dependentRequired).map(({ length }) => 1 + length);
  const names = Object.keys(properties).length + required.length + sum(dependent);
  const choices = discriminator === undefined ? 0 : (oneOf ?? anyOf).length;
  const compiled = format === 'regex' ? REGEXP : 0;
  const division = Number.isSafeInteger(multipleOf ?? 1) ? 0 : DIVISION;
  return (
    1 +
    names / 20 +
    choices / 2 +
    countChecks(schema) / 2 +
    compiled +
    division +
    sum(compared(schema).map(countValues))
  );
}

function countChecks(schema: Schema): number {
  return Object.keys(schema).filter((keyword) => CHECK.test(keyword)).length;
}

/** The work for one byte of a text. */
export function ofText(schema: Schema): number {
  const { pattern, format, patternProperties = {} } = schema;
  const patterns = [...(pattern === undefined ? [] : [pattern]), ...Object.keys(patternProperties)];
  const lengths = ['minLength', 'maxLength'].filter((keyword) => keyword in schema).length;
  return (
    sum(patterns.map(timePerCharacter)) + lengths / 40 + (format === undefined ? 0 : format === 'regex' ? 1 : 0.25)
  );
}

/** The work for one byte of an object with many members: what checks them all visits each again. */
export function ofMembers(applied: readonly Schema[]): number {
  const visits = applied.map(({ patternProperties = {}, ...schema }) => {
    const { additionalProperties = true, unevaluatedProperties = true, propertyNames = true } = schema;
    const each = [additionalProperties, unevaluatedProperties, propertyNames].filter((other) => other !== true).length;
    const counts = ['maxProperties', 'minProperties'].filter((keyword) => keyword in schema).length;
    return each + counts + compared(schema).length + 1.5 * Object.keys(patternProperties).length;
  });
  // Ajv copies the names of evaluated members from each schema.
  const isCopied = applied.some((each) => (each.unevaluatedProperties ?? true) !== true);
  const hasPatterns = applied.some(({ patternProperties }) => patternProperties !== undefined);
  return (sum(visits) + (isCopied && hasPatterns ? applied.length : 0)) / 2;
}

/** The arrays and objects in `enum` and `const`. */
function compared(schema: Schema): readonly object[] {
  const values: readonly unknown[] = [...(schema.enum ?? []), schema.const];
  return values.filter((each) => typeof each === 'object' && each !== null);
}

/** At most one for each check, and one for each missing member. */
export function faultsOf({ required = [], dependentRequired = {}, ...schema }: Schema): number {
  return (
    1 + countChecks(schema) + required.length + sum(Object.values(dependentRequired).map(({ length }) => 1 + length))
  );
}

/** The number of values that an empty object gets by defaults. */
export function countFilledIn(schemas: readonly AnySchema[], follow: Follow): number {
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
  return countParts({}, new Position(schemas, follow)) - 1;
}

/** A value and all of its parts. */
function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return 1 + sum(Object.values(value).map(countValues));
}

export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
