import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import { type AnySchema, type Follow, follower, type OpenApiDocument, type Schema } from '../../src/schema/document.ts';
import { areEqual, areUnique, isObject } from '../../src/schema/exact.ts';
import { STRING_FORMATS } from '../../src/schema/formats.ts';
import { schemasOf } from '../../src/schema/applicators.ts';
import { IN_PLACE, joined } from '../../src/schema/subschemas.ts';
import { mapParts } from '../../src/rules/objects.ts';
import type { ObjectKind } from '../../src/rules/vocabulary.ts';
import type { JsonValue } from './values.ts';

export interface Keywords extends Schema {
  readonly minLength?: number;
  readonly minItems?: number;
  readonly minProperties?: number;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}

/** Schemas that all apply to the same value. */
export type SchemasAt = readonly AnySchema[];
/**
 * The schemas that apply at a place when one branch of each `anyOf`, `oneOf`, `if`, `not` and `dependentSchemas` is
 * chosen.
 */
export type Branch = readonly Keywords[];

export interface Supply {
  /** Values for the place, valid or not. */
  of(place: SchemasAt): readonly JsonValue[];
  /** The first `count` values that all schemas of the place allow. */
  valid(place: SchemasAt, count: number): readonly JsonValue[];
  fits(place: SchemasAt, value: JsonValue): boolean;
}

/**
 * Copies a part of a contract.
 *
 * @param change gets each schema before the schemas within it, and where it stands in the part
 */
export function withSchemas<T>(
  part: T,
  change: (schema: Keywords, at: readonly string[]) => Keywords,
  kind: ObjectKind = 'OpenAPI',
  at: readonly string[] = [],
): T {
  if (!isObject(part)) return part;
  const changed = kind === 'Schema' ? change(part, at) : part;
  return mapParts(changed, kind, (each, of, names) => withSchemas(each, change, of, [...at, ...names])) as T;
}

/** What stands in a document where `withSchemas` has found a schema in another one. */
export function valueAt(document: object, at: readonly string[]): unknown {
  return at.reduce<unknown>((node, name) => (node as Record<string, unknown> | undefined)?.[name], document);
}

/** Copies a contract as it applies to requests, which have no `readOnly` members, or to replies (`writeOnly`). */
export function without(mark: 'readOnly' | 'writeOnly', document: OpenApiDocument): OpenApiDocument {
  const follow = follower(document);
  /** By schema: the members that the schemas which contain it forbid in the same value. */
  const around = new Map<unknown, ReadonlySet<string>>();
  return withSchemas(document, (schema) => {
    const barred = (around.get(schema) ?? new Set()).union(barredBy(schema, mark, follow));
    for (const each of schemasOf(schema, IN_PLACE)) around.set(each, barred);
    if (barred.size === 0) return schema;
    const { properties, required, dependentRequired } = schema;
    const sent = (names: readonly string[]) => names.filter((name) => !barred.has(name));
    return {
      ...schema,
      ...(properties && { properties: mapValues(properties, (each, name) => !barred.has(name) && each) }),
      ...(required && { required: sent(required) }),
      ...(dependentRequired && { dependentRequired: mapValues(dependentRequired, sent) }),
    };
  });
}

function barredBy(schema: Schema, mark: 'readOnly' | 'writeOnly', follow: Follow): Set<string> {
  const members = joined([schema], follow).flatMap(({ properties = {} }) => Object.entries(properties));
  const barred = members.filter(([, each]) => joined([each], follow).some((other) => other[mark]));
  return new Set(barred.map(([name]) => name));
}

function mapValues<T, R>(
  values: Readonly<Record<string, T>>,
  change: (value: T, name: string) => R,
): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value, name)]));
}

const BY_VALUE = {
  const: (only: unknown, value: unknown) => areEqual(value, only),
  enum: (values: readonly unknown[], value: unknown) => values.some((each) => areEqual(each, value)),
  uniqueItems: (isOn: boolean, value: unknown) => !isOn || !Array.isArray(value) || areUnique(value),
};

/**
 * @returns a function that judges parts of derived values in doubles, which is enough to choose among them; whole
 * messages get their verdict elsewhere
 */
export function judgeBy(document: object): (schema: AnySchema, value: JsonValue) => boolean {
  const ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  // Ajv compares by a library that calls `toString` of the values, which may be a member.
  for (const [keyword, validate] of Object.entries(BY_VALUE))
    ajv.removeKeyword(keyword).addKeyword({ keyword, validate });
  for (const [name, validate] of Object.entries(STRING_FORMATS)) ajv.addFormat(name, validate);
  for (const [name, bits] of [['int32', 31] as const, ['int64', 63] as const]) {
    const validate = (value: number) => Number.isInteger(value) && value >= -(2 ** bits) && value < 2 ** bits;
    ajv.addFormat(name, { type: 'number', validate });
  }
  const follow = follower(document);
  const targets = new Map<string, string>();
  /** Ajv would visit a whole document for each schema that it compiles in it: it gets each target of a reference once. */
  const apart = (schema: AnySchema): object | boolean =>
    withSchemas(
      inDoubles(schema) as AnySchema,
      (each) => ({ ...each, ...(each.$ref !== undefined && { $ref: nameOf(each.$ref) }) }),
      'Schema',
    );
  const nameOf = (reference: string): string => {
    const known = targets.get(reference);
    if (known !== undefined) return known;
    const name = `urn:target:${targets.size}`;
    targets.set(reference, name);
    ajv.addSchema(apart(follow(reference)), name);
    return name;
  };
  const compiled = new Map<Schema, ValidateFunction>();
  return (schema, value) => {
    if (typeof schema === 'boolean') return schema;
    const validate = compiled.getOrInsertComputed(schema, () => ajv.compile(apart(schema) as object));
    return validate(inDoubles(value));
  };
}

/** Turns each bigint into a number. */
export function inDoubles(value: unknown): unknown {
  if (typeof value === 'bigint') return Number(value);
  if (Array.isArray(value)) return value.map(inDoubles);
  return isObject(value) ? mapValues(value, inDoubles) : value;
}
