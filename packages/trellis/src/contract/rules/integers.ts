import { type AnySchema, type Follow, locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../errors.ts';
import { directly } from '../schema/findings.ts';
import {
  allowedBy,
  declaredMembers,
  isInt64Schema,
  leadingTo,
  listed,
  reachable,
  typed,
} from '../schema/subschemas.ts';
import { isInteger, isLarge } from '../schema/exact.ts';
import { VOCABULARY } from './vocabulary.ts';
import { Position } from '../schema/positions.ts';

/** If each of n branches refers to all of them, n⁴ pairs are compared. */
const MAX_PAIRS = 20_000_000;

/**
 * An integer is a bigint if any of its schemas says int64, whereas the generated type of each schema depends on that
 * schema alone. So this refuses a value that one schema makes a bigint and another one types as a number.
 *
 * @param values the schemas of the values of requests
 * @throws ContractError
 */
export function requireOneIntegerType(values: readonly AnySchema[], follow: Follow, attempt = directly): void {
  const [isNewValue, isNewPart] = [firstTimes(), firstTimes()];
  const hasInt64 = leadingTo(isInt64Schema, follow);
  let pairs = 0;
  /** The pairs that are still to be visited, in a list, as calls cannot nest as deeply as references may. */
  let pending: (readonly [AnySchema, AnySchema])[] = [];
  /** @param both two schemas of the same value, or one schema twice */
  const visit = (...both: readonly [AnySchema, AnySchema]): void => {
    const [one, other] = both.map((each) => behind(each, follow)) as [AnySchema, AnySchema];
    if (typeof one === 'boolean' || typeof other === 'boolean' || !hasInt64(one) || !isNewValue(one, other)) return;
    const [schemas, others] = [typed(one, follow), typed(other, follow)];
    // In the generated type, the arrays and objects of an enum have the types of their own values.
    const large = others.flatMap((each) => [...(each.enum ?? []), each.const]).filter(isLarge);
    const int64 =
      countBigints(large, one) > countBigints(large, other)
        ? reachable(one, follow).find(isInt64Schema)
        : schemas.find((each) => isInt64Schema(each) && !allowsBigint(other, follow));
    if (int64 !== undefined) {
      throw new ContractError(
        `the int64 at ${locationOf(int64)} may describe the same value, a bigint, ` +
          'but this schema has the type number: write type: integer and format: int64 here too, or in neither',
        locationOf(other),
      );
    }
    const leading = schemas.filter(hasInt64);
    pairs += leading.length * others.length;
    if (pairs > MAX_PAIRS)
      throw new ContractError(
        `values with an int64 can have more than ${MAX_PAIRS} pairs of schemas: ` +
          'let members of the same schema refer to one component, or use fewer branches',
        locationOf(one),
      );
    for (const first of leading) for (const second of others) if (isNewPart(first, second)) visitParts(first, second);
  };
  const countBigints = (values: readonly object[], schema: AnySchema): number => {
    const count = (value: unknown): number =>
      isLarge(value)
        ? Object.values(value).reduce<number>((sum, each) => sum + count(each), 0)
        : Number(typeof value === 'bigint');
    return values.length === 0 ? 0 : count(values.map((each) => new Position(schema, follow).exact(each)));
  };
  const visitParts = (first: Schema, second: Schema): void => {
    const names = [first, second].flatMap(({ properties = {} }) => Object.keys(properties));
    const pairs = [...new Set(names)].map(
      (name) => [declaredMembers(first, name), declaredMembers(second, name)] as const,
    );
    // The generated type of one schema has one type for all members that `properties` does not name.
    if (first === second) for (const each of otherMembers(first)) pending.push([each, each]);
    else pairs.push([otherMembers(first), otherMembers(second)]);
    const length = Math.max(...[first, second].map(({ prefixItems = [] }) => prefixItems.length));
    for (let index = 0; index <= length; index++) pairs.push([[itemOf(first, index)], [itemOf(second, index)]]);
    for (const [some, more] of pairs) for (const each of some) for (const also of more) pending.push([each, also]);
  };
  for (const value of values)
    attempt(() => {
      pending = [[value, value]];
      for (let next = pending.pop(); next !== undefined; next = pending.pop()) visit(...next);
    });
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

/** Tells of each pair of schemas whether it is seen for the first time. */
function firstTimes(): (one: Schema, other: Schema) => boolean {
  const seen = new Map<Schema, Set<Schema>>();
  return (one, other) => {
    const known = seen.getOrInsertComputed(one, () => new Set());
    return known.size < known.add(other).size;
  };
}

/** The target of a schema that is nothing but a `$ref`: all members that refer to the same schema count as one. */
function behind(schema: AnySchema, follow: Follow, hops = 0): AnySchema {
  if (typeof schema === 'boolean' || schema.$ref === undefined || hops > 100) return schema;
  const isBare = Object.keys(schema).every((name) => name === '$ref' || VOCABULARY.Schema[name]?.is === 'shown');
  return isBare ? behind(follow(schema.$ref), follow, hops + 1) : schema;
}

function otherMembers({ patternProperties = {}, additionalProperties = true }: Schema): AnySchema[] {
  return [...Object.values(patternProperties), additionalProperties];
}

function itemOf({ prefixItems = [], items = true }: Schema, index: number): AnySchema {
  return prefixItems[index] ?? items;
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
