import type { Examined } from '../src/load.ts';
import type { Findings } from '../src/schema/findings.ts';
import {
  type AnySchema,
  type DeclaredOperation,
  follower,
  locationOf,
  type Media,
  type OpenApiDocument,
  pathItemsOf,
  responsesOf,
  type Parameter,
  type Follow,
  resolver,
  type Schema,
} from '../src/schema/document.ts';
import { ContractError } from '../src/contract-error.ts';
import { forbids } from '../src/rules/declared.ts';
import { requireIntegers } from '../src/rules/integers.ts';
import { isLarge, isObject, isOfType } from '../src/schema/exact.ts';
import { keywordsThat, schemasOf } from '../src/schema/applicators.ts';
import {
  behind,
  beneath,
  closure,
  inPlace,
  isInt64Schema,
  joined,
  listed,
  OF_MEMBERS,
  typed,
  TYPED,
  TYPES,
  typesOf,
} from '../src/schema/subschemas.ts';
import { type BodyKind, kindOf } from '../src/message/content.ts';
import { Position } from '../src/schema/positions.ts';
import { keepsOthers, outlinesOf } from '../src/message/undeclared.ts';
import { mapParts } from '../src/rules/objects.ts';
import { isIgnored, type ObjectKind } from '../src/rules/vocabulary.ts';

/** Stands for `undefined`. No contract contains this schema. */
export const NOT_SENT = { type: 'null', format: 'undefined' };
/** Stands for `Uint8Array`. No contract contains this schema. */
export const BYTES = { type: 'string', format: 'bytes of a body' };
/** The prefix of a string for an int64 in `const` or `enum`, whose digits a number would round. */
export const DIGITS = 'digits of an int64: ';

/** Keywords that, beside `properties`, give an object a type more specific than "any object". */
const OF_OBJECTS = ['$ref', ...TYPED, ...OF_MEMBERS.filter((keyword) => keyword !== 'properties')];
/** `then`, `else` and `dependentSchemas`: they describe the same value, and openapi-typescript does not know them. */
const UNSEEN = keywordsThat(
  ({ to, holds, isUntyped }) => isUntyped === true && to === 'the value' && holds === 'by a branch',
);

const OBJECT: ReadonlySet<string> = new Set(['object']);

/** @param found gets refusals of the schemas for which no type can be generated */
export function requireTypes({ document, operations, schemas, found }: Examined): void {
  const follow = follower(document);
  for (const schema of schemas)
    if (found.isSound(schema))
      found.attempt(() => {
        requireTyped(schema, follow);
      });
  for (const { body } of operations)
    for (const { kind, schema } of body?.types.values() ?? [])
      if (kind === 'json') requireObjects(schema, follow, found);
}

/** Rewrites the parts of a contract that openapi-typescript would turn into wrong types. */
export function contractForTypes(contract: OpenApiDocument): object {
  const resolve = resolver(contract);
  const follow = follower(contract);
  const paths = Object.fromEntries(pathItemsOf(contract));
  const whole: Partial<OpenApiDocument> = part({ ...contract, paths }, 'OpenAPI');
  // Clients serve webhooks, and pathItems stand under paths too: their operationIds must not demand handlers here.
  return { ...whole, webhooks: undefined, components: { ...whole.components, pathItems: undefined } };

  function part(value: object, kind: ObjectKind): object {
    // openapi-typescript makes a header behind a reference required.
    const original = kind === 'Header' ? resolve(value) : value;
    const copy = mapParts(original, kind, (each, of, [name, key = '']) => {
      const body = of === 'Media Type' ? kindFor(key, resolve(each as Media)) : 'json';
      if (body !== 'json') return { schema: body === 'bytes' ? BYTES : { type: 'string', ...textual(each as Media) } };
      if (isLarge(each)) {
        return { ...part(each, of), ...(name === 'properties' && marks(each)) };
      }
      // Here openapi-typescript fails on the schema `true`, and ignores the schema `false`: write them as objects.
      if (name === 'allOf' || name === 'schema') return each === true ? {} : { enum: [] };
      return each;
    });
    return adapted(copy, kind, original);
  }

  /** A component that no operation uses may have a body that is refused. */
  function kindFor(type: string, media: Media): BodyKind {
    try {
      return kindOf(type, media, follow, type);
    } catch (error) {
      if (!(error instanceof ContractError)) throw error;
      return 'json';
    }
  }

  /** openapi-typescript does not look for these marks behind a member's reference. */
  function marks(member: Schema): Schema {
    const all = joined([member], follow);
    return {
      readOnly: all.some(({ readOnly }) => readOnly),
      writeOnly: all.some(({ writeOnly }) => writeOnly),
      default: new Position(member, follow).default,
    };
  }

  /** @param value the object with adapted parts, which is `original` in the contract */
  function adapted(value: object, kind: ObjectKind, original: object): object {
    switch (kind) {
      case 'Path Item':
      case 'Operation': {
        const { parameters, responses }: DeclaredOperation = value;
        const replies = responses && { responses: Object.fromEntries(responsesOf({ responses })) };
        return { ...value, ...replies, parameters: parameters?.filter((each) => !isIgnored(resolve(each))) };
      }
      case 'Parameter': {
        const { required = false, schema = true } = original as Partial<Parameter>;
        if (required || new Position(schema, follow).default === undefined) return value;
        return { ...value, schema: { anyOf: [(value as Parameter).schema, NOT_SENT] } };
      }
      case 'Schema': {
        // openapi-typescript turns `$defs` into a member.
        const { $defs: _, discriminator: __, ...schema }: Schema = value;
        const others = keepsUnseen(original) && { additionalProperties: true };
        return apart(withOthers(withValues({ ...schema, ...unseen(original, schema), ...others })));
      }
      default:
        return value;
    }
  }

  /** The members that only keywords name which openapi-typescript does not know, or `required`: operations get them. */
  function unseen(original: Schema, { properties }: Schema): Schema {
    if (original.additionalProperties === false || listed(original) !== undefined) return {};
    const seen = new Set(typed(original, follow).flatMap((each) => Object.keys(each.properties ?? {})));
    const always = joined([original], follow);
    const names = outlinesOf(follow)
      .namesOf(original)
      .filter((name) => !seen.has(name) && !always.some((each) => forbids(each, name, follow)));
    return names.length === 0
      ? {}
      : { properties: { ...properties, ...Object.fromEntries(names.map((name) => [name, {}])) } };
  }

  /** Whether a keyword that openapi-typescript does not know lets the operation get members without a name. */
  function keepsUnseen(schema: Schema): boolean {
    const { additionalProperties = false, unevaluatedProperties = false } = schema;
    const isKept = () => inPlace(schemasOf(schema, UNSEEN), follow).some(keepsOthers);
    return additionalProperties === false && (unevaluatedProperties !== false || isKept());
  }
}

/** The schema of a text, unless the text may be any. */
function textual({ schema }: Media): Schema {
  return typeof schema === 'object' ? schema : {};
}

function requireTyped(schema: Schema, follow: Follow): void {
  requireIntegers(schema, follow);
  const { $ref = '#/components/schemas/' } = schema;
  if (/^#\/components\/schemas\/[^/]*$/.test($ref)) return;
  throw new ContractError(
    `$ref leads to ${$ref}, for which no type can be generated: move that schema to ` +
      'components/schemas, and refer to it there',
    locationOf(schema, '$ref'),
  );
}

/**
 * `{ properties: { a: … } }` without `type: object` also allows numbers and texts, which openapi-typescript does not know:
 * an operation would get a text that the compiler takes for an object. So this refuses such a schema in the body of a
 * request.
 */
function requireObjects(body: AnySchema, follow: Follow, found: Findings): void {
  const seen = new Set<string>();
  const numbers = new Map<AnySchema, number>();
  /** @param allowed the types that the schemas on the way here, for the same value, allow */
  const visit = (schema: AnySchema, allowed: ReadonlySet<string>): void => {
    if (typeof schema === 'boolean') return;
    const types = typesOf(schema, follow).intersection(allowed);
    const key = [numbers.getOrInsertComputed(schema, () => numbers.size), ...types].join();
    if (seen.has(key)) return;
    seen.add(key);
    const hasMembers = OF_MEMBERS.some((keyword) => keyword in schema);
    if (schema.type === undefined && listed(schema) === undefined && hasMembers && !types.isSubsetOf(OBJECT))
      found.add(
        new ContractError(
          'this schema has members, and allows values that are no objects: add type: object',
          locationOf(schema),
        ),
      );
    for (const each of behind(schema, TYPED, follow)) visit(each, types);
  };
  for (const value of closure([body], (each) => typed(each, follow).flatMap(beneath))) visit(value, TYPES);
}

/**
 * openapi-typescript ignores `type` beside the values of `const` and `enum`, takes `const: null` for any value, adds
 * null to an `enum` beside several types, and reads an `enum` of objects as alternatives.
 */
function withValues(schema: Schema): Schema {
  const { type, const: only, enum: values, ...others } = schema;
  const fits = (value: unknown) => type === undefined || [type].flat().some((each) => isOfType(value, each));
  const digits = (value: unknown) =>
    isInt64Schema(schema) && (typeof value === 'bigint' || Number.isInteger(value))
      ? `${DIGITS}${String(value)}`
      : value;
  const isPlain = 'const' in schema && only !== null && fits(only);
  const allowed = ('const' in schema && !isPlain ? [only] : values)?.filter(fits);
  const isOfObjects = allowed === undefined || (allowed.length > 0 && allowed.every(isObject));
  return {
    // Beside members, openapi-typescript ignores an `enum`.
    ...(isOfObjects
      ? others
      : Object.fromEntries(Object.entries(others).filter(([name]) => !OF_MEMBERS.includes(name)))),
    ...(isPlain && { const: digits(only) }),
    ...(allowed !== undefined && { enum: allowed.map(digits) }),
    ...(type !== undefined && (allowed === undefined || (typeof type === 'string' && type !== 'object')) && { type }),
  };
}

/** openapi-typescript gives "any object" no members, and an index signature must allow the named members too. */
function withOthers(schema: Schema): Schema {
  const { type, properties = {}, patternProperties, additionalProperties: others = patternProperties && true } = schema;
  const named = Object.values(properties);
  const isAny =
    [type].flat().includes('object') && named.length === 0 && !OF_OBJECTS.some((keyword) => keyword in schema);
  if (isAny || (others === true && patternProperties !== undefined)) return { ...schema, additionalProperties: true };
  if (named.length === 0 || (typeof others !== 'object' && patternProperties === undefined)) return schema;
  return { ...schema, additionalProperties: { anyOf: typeof others === 'object' ? [others, ...named] : named } };
}

/** openapi-typescript ignores keywords beside `$ref`, and misreads keywords beside `anyOf` and `oneOf`. */
function apart(schema: Schema): Schema {
  const { $ref, anyOf, oneOf, allOf = [], ...beside } = schema;
  const parts = Object.entries({ $ref, anyOf, oneOf }).filter(([, value]) => value !== undefined);
  return parts.length === 0
    ? schema
    : { ...beside, allOf: [...allOf, ...parts.map((part) => Object.fromEntries([part]))] };
}
