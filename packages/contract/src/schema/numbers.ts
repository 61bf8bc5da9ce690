import { schemasOf } from './applicators.ts';
import { beneath, isClosed, isInt64Schema, isOpen, listed, reachable, TYPED } from './subschemas.ts';
import type { AnySchema, Follow, Schema } from './document.ts';

// One rule, which positions.ts applies, decides whether a number of a message is a bigint or a double. An int64 is a
// bigint, and exact. Any other number that a schema types is a double. Where no schema types it, a number of a request
// is a double, and refused if it would lose digits; a bigint of a reply is written with all its digits.

const isNumeric = (type: unknown) => type === 'number' || type === 'integer';

/** Whether a schema gives a number a type. */
export function typesNumbers(schema: Schema): boolean {
  return schema.type === undefined ? listed(schema) !== undefined : [schema.type].flat().some(isNumeric);
}

/**
 * What the numbers in a value can be: `bigint` where a schema has an int64, or gives a number no type. One schema may
 * forbid what another one allows, which is not seen here: the result may be `bigint` although no value has one.
 */
export function numbersIn(schema: AnySchema, follow: Follow): 'none' | 'double' | 'bigint' {
  const schemas = reachable(schema, follow);
  if (schema === true || schemas.some((each) => isInt64Schema(each) || !isDescribed(each))) return 'bigint';
  return schemas.some(({ type }) => [type].flat().some(isNumeric)) ? 'double' : 'none';
}

/** Whether a schema says, by itself and by the schemas in it, the type of its value and of each part. */
function isDescribed(schema: Schema): boolean {
  const { type, $ref, items } = schema;
  const parts = schemasOf(schema, TYPED);
  if ([...beneath(schema), ...parts].includes(true)) return false;
  if (type === undefined)
    return $ref !== undefined || parts.length > 0 || listed(schema)?.every((each) => typeof each === 'string') === true;
  const types = [type].flat();
  const isSilent = !isClosed(schema) && !isOpen(schema);
  return !(types.includes('object') && isSilent) && !(types.includes('array') && items === undefined);
}
