import { type AnySchema, type Follow, locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';
import { directly } from '../schema/findings.ts';
import {
  allowedBy,
  beneath,
  closure,
  isInt64Schema,
  leadingTo,
  listed,
  reachable,
  typed,
} from '../schema/subschemas.ts';
import { isInteger, isLarge } from '../schema/exact.ts';
import { placesIn, Position } from '../schema/positions.ts';

/**
 * An integer is a bigint if any of its schemas says int64, whereas the generated type of each schema depends on that
 * schema alone. So this refuses a value that one schema makes a bigint and another one types as a number.
 *
 * @param values the schemas of the values of requests
 * @throws ContractError
 */
export function requireOneIntegerType(values: readonly AnySchema[], follow: Follow, attempt = directly): void {
  const hasInt64 = leadingTo(isInt64Schema, follow);
  for (const value of values.filter(hasInt64))
    attempt(() => {
      // The generated types read no branch of `then`, say.
      const read = new Set<AnySchema>(closure([value], (each) => typed(each, follow).flatMap(beneath)));
      for (const place of placesIn([value], follow)) {
        const isNumber = (each: AnySchema) =>
          (place.int64 && !allowsBigint(each, follow)) || losesBigints(each, place, follow);
        const other = place.roots.find((each) => read.has(each) && isNumber(each));
        if (other === undefined) continue;
        const own = place.roots.flatMap((each) => (place.int64 ? typed : reachable)(each, follow)).find(isInt64Schema);
        throw new ContractError(
          `the int64 at ${locationOf(own)} may describe the same value, a bigint, ` +
            'but this schema has the type number: write type: integer and format: int64 here too, or in neither',
          locationOf(other),
        );
      }
    });
}

/** In the generated type, the arrays and objects of an enum have the types of their own values. */
function losesBigints(schema: AnySchema, place: Position, follow: Follow): boolean {
  const large = typed(schema, follow).flatMap((each) => [...(each.enum ?? []), each.const].filter(isLarge));
  if (large.length === 0) return false;
  const own = new Position(schema, follow);
  return large.some((each) => bigintsIn(place.exact(each)) > bigintsIn(own.exact(each)));
}

function bigintsIn(value: unknown): number {
  return isLarge(value)
    ? Object.values(value).reduce<number>((sum, each) => sum + bigintsIn(each), 0)
    : Number(typeof value === 'bigint');
}

/** @throws ContractError if a value of the schema can be an int64, and its generated type has no integer */
export function requireIntegers(schema: Schema, follow: Follow): void {
  const { int64, types } = new Position(schema, follow);
  if (!int64 || !types.has('integer') || integerTypes(schema, follow).size > 0) return;
  throw new ContractError(
    `one schema of this value has format: int64, and another one does not: write type: integer ` +
      'and format: int64 in both, or in neither',
    locationOf(schema),
  );
}

/** Whether the generated type of a schema has bigint, or the schema allows no integer. */
function allowsBigint(schema: AnySchema, follow: Follow): boolean {
  return !new Position(schema, follow).types.has('integer') || integerTypes(schema, follow).has('bigint');
}

const ANY: ReadonlySet<string> = new Set(['number', 'bigint']);
const NONE: ReadonlySet<string> = new Set();

/** The types that integers have in the generated type. */
function integerTypes(schema: AnySchema, follow: Follow): ReadonlySet<string> {
  return allowedBy(schema, follow, ANY, (each) => {
    if (typeof each === 'boolean') return each ? ANY : NONE;
    const values = listed(each);
    const integer = isInt64Schema(each) ? 'bigint' : 'number';
    if (values !== undefined) return values.some(isInteger) ? new Set([integer]) : NONE;
    if (each.type === undefined) return ANY;
    return new Set([each.type].flat().map((type) => (type === 'integer' ? integer : type))).intersection(ANY);
  });
}
