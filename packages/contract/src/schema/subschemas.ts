import { type HoldingKeyword, keywordsThat, schemasOf } from './applicators.ts';
import type { AnySchema, Follow, Schema } from './document.ts';
import { isOfType } from './exact.ts';

// Which schemas apply to a value, to its members and items.

const NAMES = ['null', 'boolean', 'object', 'array', 'number', 'string', 'integer'];
export const TYPES: ReadonlySet<string> = new Set(NAMES);

/** Keywords whose schemas apply to the same value. */
export const IN_PLACE = keywordsThat(({ to }) => to === 'the value');
/** All of them but `not` and `if`, which only test the value. */
const APPLIED = keywordsThat(({ to, holds }) => to === 'the value' && holds !== 'by a test');
/** Of these, the ones without branches. */
const ALWAYS = keywordsThat(({ to, holds }) => to === 'the value' && holds === undefined);
/** Keywords of the same value that the generated types read. */
export const TYPED = keywordsThat(({ to, isUntyped }) => to === 'the value' && isUntyped !== true);
/** Keywords whose schemas apply to members, but for those that others leave. */
export const OF_MEMBERS: readonly string[] = keywordsThat(
  ({ to, holds }) => (to === 'a member' || to === 'other members') && holds === undefined,
);
const OF_OTHERS = keywordsThat(({ to }) => to === 'other members');
/** Those that apply to members of any name. */
export const OF_ANY_OTHER: readonly HoldingKeyword[] = keywordsThat(
  ({ to, in: how }) => to === 'other members' && how === undefined,
);
const BENEATH = keywordsThat(({ to, holds }) => /member|items/.test(to) && holds !== 'by a test');
const TESTING_ITEMS = keywordsThat(({ to, holds }) => to === 'items' && holds === 'by a test');

export function isInt64Schema({ type, format }: Schema): boolean {
  return format === 'int64' && [type].flat().includes('integer');
}

/** The types that a value can have. */
export function typesOf(schema: AnySchema, follow: Follow): ReadonlySet<string> {
  return allowedBy(schema, follow, TYPES, (each) => {
    if (typeof each === 'boolean') return TYPES;
    const typesOfValue = (value: unknown) => NAMES.filter((name) => isOfType(value, name));
    const own = each.type === undefined ? listed(each)?.flatMap(typesOfValue) : [each.type].flat();
    return own === undefined ? TYPES : new Set(own.includes('number') ? [...own, 'integer'] : own);
  });
}

/**
 * The names in `all` that a schema allows, and with it its `$ref`, its `allOf`, and some branch of `anyOf` and `oneOf`.
 *
 * @param own the names that a schema allows by its own keywords
 * @param known the results of the schemas that were visited
 */
export function allowedBy(
  schema: AnySchema,
  follow: Follow,
  all: ReadonlySet<string>,
  own: (schema: AnySchema) => ReadonlySet<string>,
  known = new Map<AnySchema, ReadonlySet<string>>(),
): ReadonlySet<string> {
  const before = known.get(schema);
  if (before !== undefined) return before;
  // A branch that refers back to its own schema allows nothing more.
  known.set(schema, new Set());
  const { $ref, allOf = [], anyOf, oneOf }: Schema = typeof schema === 'boolean' ? {} : schema;
  const of = (each: AnySchema) => allowedBy(each, follow, all, own, known);
  const sets = [own(schema), ...allOf.map(of), ...($ref === undefined ? [] : [of(follow($ref))])];
  for (const branches of [anyOf, oneOf])
    if (branches !== undefined) sets.push(branches.map(of).reduce((any, each) => any.union(each), new Set<string>()));
  const allowed = sets.reduce((some, each) => some.intersection(each), all);
  known.set(schema, allowed);
  return allowed;
}

/** The only values that a schema allows, if it lists them. */
export function listed({ const: only, enum: values }: Schema): readonly unknown[] | undefined {
  return values ?? (only === undefined ? undefined : [only]);
}

/** These schemas and, by `$ref` and `allOf`, all others that their value must satisfy too. */
export function joined(schemas: readonly AnySchema[], follow: Follow): Schema[] {
  return closure(schemas, (schema) => behind(schema, ALWAYS, follow));
}

/** All schemas of a value that the generated types read. */
export function typed(schema: AnySchema, follow: Follow): Schema[] {
  return closure([schema], (each) => behind(each, TYPED, follow));
}

/** These schemas and all others that may apply to the same value, except `not` and `if`, which only test it. */
export function inPlace(schemas: readonly AnySchema[], follow: Follow): Schema[] {
  return closure(schemas, (schema) => behind(schema, APPLIED, follow));
}

/** The schema, and others of its value whose members `unevaluatedProperties` counts as evaluated where they hold. */
export function evaluating(schema: Schema, follow: Follow): Schema[] {
  return closure([schema], (each) => [...behind(each, APPLIED, follow), each.if]);
}

/** The target of the reference of a schema, and the schemas that some keywords hold. */
export function behind(schema: Schema, keywords: readonly HoldingKeyword[], follow: Follow): readonly AnySchema[] {
  const held = schemasOf(schema, keywords);
  return schema.$ref === undefined ? held : [follow(schema.$ref), ...held];
}

/** For `{ properties: { a: A }, items: B, contains: C }`, A and B: what applies to members and items. */
export const beneath = (schema: Schema): readonly AnySchema[] => schemasOf(schema, BENEATH);

/** The schema and all others that may apply to its value or to a part of it. */
export function reachable(schema: AnySchema, follow: Follow): Schema[] {
  return closure([schema], reaching(follow));
}

const reaching =
  (follow: Follow): Next =>
  (schema) => [...behind(schema, APPLIED, follow), ...beneath(schema)];

/**
 * Whether a schema with `isSuch` may apply to the value of another one or to a part of it. Schemas that lead to none
 * are visited once, others again for each schema before them: a contract that compiles has some 100 in a row at most.
 *
 * @param next the schemas to visit after one; by default all that may apply to its value or to a part of it
 */
export function leadingTo(
  isSuch: (schema: Schema) => boolean,
  follow: Follow,
  next: Next = reaching(follow),
): (schema: AnySchema) => boolean {
  const known = new Map<AnySchema, boolean>();
  return (schema) =>
    known.getOrInsertComputed(schema, () => {
      const passed: Schema[] = [];
      for (const each of walk([schema], next)) {
        if (isSuch(each) || known.get(each) === true) return true;
        passed.push(each);
      }
      for (const each of passed) known.set(each, false);
      return false;
    });
}

export const isSchema = (each: AnySchema | undefined): each is Schema => typeof each === 'object';

type Next = (schema: Schema) => readonly (AnySchema | undefined)[];

export function closure(roots: readonly AnySchema[], next: Next): Schema[] {
  return [...walk(roots, next)];
}

function* walk(roots: readonly AnySchema[], next: Next): Generator<Schema> {
  const found = new Set(roots.filter(isSchema));
  // The iteration of a Set includes what is added meanwhile.
  for (const schema of found) {
    yield schema;
    for (const each of next(schema)) if (isSchema(each)) found.add(each);
  }
}

/** @param name undefined for a member that no schema declares by its name */
export function membersOf(
  schemas: readonly Schema[],
  name: string | undefined,
  matches = matchesOf(name),
): AnySchema[] {
  const declared = schemas.flatMap((each) => declaredMembers(each, name, matches));
  if (declared.some((each) => each !== true)) return declared;
  return schemas.map(({ unevaluatedProperties = true }) => unevaluatedProperties);
}

/** `additionalProperties` applies to members that neither `properties` nor a pattern of the same schema matches. */
export function declaredMembers(
  { properties = {}, patternProperties = {}, additionalProperties = true }: Schema,
  name: string | undefined,
  matches = matchesOf(name),
): AnySchema[] {
  const own = name !== undefined && Object.hasOwn(properties, name) ? [properties[name] ?? true] : [];
  const matched = Object.entries(patternProperties).filter(([pattern]) => matches(pattern));
  const found = [...own, ...matched.map(([, each]) => each)];
  return found.length > 0 ? found : [additionalProperties];
}

/** @returns a function that gives the schema of the item at an index */
export const itemAt =
  (index: number) =>
  ({ prefixItems = [], items = true }: Schema): AnySchema =>
    prefixItems[index] ?? items;

/** The schemas that items only have to pass for the value to be valid, some of them or none. */
export const testedItems = (schema: Schema): readonly AnySchema[] => schemasOf(schema, TESTING_ITEMS);

/** The number of items that have schemas of their own. */
export const placesOf = (schemas: readonly Schema[]): number =>
  Math.max(0, ...schemas.map(({ prefixItems = [] }) => prefixItems.length));

/** The schemas of members that the schema does not name. */
export const ofOthers = (schema: Schema): readonly AnySchema[] => schemasOf(schema, OF_OTHERS);

/** Whether the schema itself forbids all members that it does not name. */
export const isClosed = (schema: Schema): boolean => schemasOf(schema, OF_ANY_OTHER).includes(false);

/** Whether the schema itself says that members of any name are allowed, if they satisfy a schema. */
export const isOpen = (schema: Schema): boolean => schemasOf(schema, OF_ANY_OTHER).some(Boolean);

/** Which parts of a value these schemas tell apart. */
export interface PartsOfValue {
  readonly names: ReadonlySet<string>;
  readonly patterns: readonly RegExp[];
  /** The length of the longest prefixItems. */
  readonly places: number;
}

export function partsOf(schemas: readonly Schema[]): PartsOfValue {
  const patterns = new Set(schemas.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties)));
  return {
    names: new Set(schemas.flatMap(({ properties = {} }) => Object.keys(properties))),
    patterns: Array.from(patterns, (pattern) => new RegExp(pattern, 'u')),
    places: placesOf(schemas),
  };
}

/** Clients choose the names that no schema declares: to keep a cache small, its keys are the patterns that a name matches. */
export function keyOf(patterns: readonly RegExp[]): string {
  // A line feed separates the sources: within one, RegExp escapes it.
  return patterns.map(({ source }) => source).join('\n');
}

/** Whether `properties` or a pattern of the schema has the member. */
export function declares({ properties = {}, patternProperties = {} }: Schema, name: string): boolean {
  return Object.hasOwn(properties, name) || Object.keys(patternProperties).some(matchesOf(name));
}

function matchesOf(name = ''): (pattern: string) => boolean {
  return (pattern) => new RegExp(pattern, 'u').test(name);
}
