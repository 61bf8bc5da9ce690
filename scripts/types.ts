import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import {
  type AnySchema,
  type DeclaredOperation,
  type Follow,
  follower,
  type Method,
  METHODS,
  type OpenApiDocument,
  type Parameter,
  type PathItem,
  readOpenApi,
  type Resolve,
  resolver,
  type Schema,
} from '../src/contract/document.ts';
import { Position } from '../src/contract/positions.ts';
import { isIgnored, type Kind, VOCABULARY } from '../src/contract/vocabulary.ts';

const { factory } = ts;
const BIGINT = factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const UNDEFINED = factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);

/** A schema that no contract has, for `undefined`. */
const NOT_SENT = { type: 'null', format: 'undefined' };
/** Before the digits of an int64 in `const` or `enum`, which would be rounded; and what is printed of both. */
const DIGITS = '\0int64:';
const PRINTED_DIGITS = /"\\u0000int64:(-?\d+)"/g;
/** The keywords of a schema that openapi-typescript makes types of. */
const TYPED = [
  ...['$ref', 'allOf', 'anyOf', 'oneOf', 'type', 'enum', 'const', 'required', 'items', 'prefixItems'],
  ...['properties', 'patternProperties', 'additionalProperties'],
];

/**
 * The types of a contract, as generated/openapi.ts has them. An int64 is `bigint`. `$Read` marks a property that is
 * readOnly, `$Write` one that is writeOnly, and `| undefined` what need not be sent since it has a default. Clients take
 * this for what it is; what an operation gets and returns is made of it in src/contract/types.ts.
 *
 * @param yaml a contract that loadContract takes
 */
export async function generateTypes(yaml: string): Promise<string> {
  const { document } = new Shown(readOpenApi(yaml));
  // Digits beyond those of a number are left in examples and defaults, for comments.
  const text = JSON.stringify(document, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const nodes = await openapiTS(JSON.parse(text) as OpenAPI3, {
    // They come with helper types, which other contracts can do without.
    readWriteMarkers: /\b(?:read|write)Only\b/.test(yaml),
    // It would make properties with a default required, in what clients send too.
    defaultNonNullable: false,
    transform(schema) {
      if (schema.format === NOT_SENT.format) return UNDEFINED;
      const isAnyInt64 =
        schema.type === 'integer' && schema.format === 'int64' && !('const' in schema || 'enum' in schema);
      return isAnyInt64 ? BIGINT : undefined;
    },
    transformProperty(property, schema) {
      const { modifiers, name, questionToken, type } = property;
      if (questionToken === undefined || type === undefined || schema.default === undefined) return undefined;
      const orUndefined = factory.createUnionTypeNode([type, UNDEFINED]);
      return factory.updatePropertySignature(property, modifiers, name, questionToken, orUndefined);
    },
  });
  return astToString(nodes).replaceAll(PRINTED_DIGITS, '$1n');
}

/** A contract as openapi-typescript is shown it: what it would get wrong is put differently. */
class Shown {
  readonly document: object;
  private readonly served: readonly Operation[];
  private readonly resolve: Resolve;
  private readonly follow: Follow;

  constructor(contract: Contract) {
    const items = Object.values(contract.paths ?? {});
    this.served = items.flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
    this.resolve = resolver(contract);
    this.follow = follower(contract);
    this.document = { ...this.part(contract, 'OpenAPI'), webhooks: this.webhooks(contract) };
  }

  /** A part of the contract with all beneath it. */
  private part(value: object, kind: Kind): object {
    const rows = VOCABULARY[kind];
    const fields = Object.entries(this.put(value, kind)).map(([name, member]: [string, unknown]) => {
      const holds = Object.hasOwn(rows, name) ? rows[name]?.holds : undefined;
      if (holds === undefined || !isObject(member)) return [name, member];
      // `true` and `false` are schemas.
      const inner = (each: unknown) => (isObject(each) ? this.part(each, holds.kind) : each);
      if (holds.in === undefined) return [name, inner(member)];
      return [name, Array.isArray(member) ? member.map(inner) : mapValues(member, inner)];
    });
    return Object.fromEntries(fields) as object;
  }

  private put(value: object, kind: Kind): object {
    switch (kind) {
      case 'Path Item':
        return this.withoutIgnored(value);
      case 'Operation': {
        // Each with an operationId needs a handler.
        const { operationId: _, ...operation }: Operation = value;
        return this.withoutIgnored(this.served.includes(value) ? value : operation);
      }
      case 'Parameter':
        return this.orNotSent(value as Parameter);
      case 'Header':
        // openapi-typescript takes a header that is referred to for required.
        return this.resolve(value);
      case 'Media Type':
        // It sees no schema in `false`.
        return 'schema' in value && value.schema === false ? { ...value, schema: { enum: [] } } : value;
      case 'Schema':
        return apart(withDigits(withOthers(this.withMembers(value))));
      default:
        return value;
    }
  }

  private withoutIgnored(holder: { readonly parameters?: readonly Parameter[] }): object {
    const parameters = holder.parameters?.filter((each) => !isIgnored(this.resolve(each)));
    return { ...holder, parameters };
  }

  private orNotSent(parameter: Parameter): object {
    const { required = false, schema } = parameter;
    if (required || '$ref' in parameter || this.defaultOf(schema) === undefined) return parameter;
    return { ...parameter, schema: { anyOf: [schema, NOT_SENT] } };
  }

  /** What openapi-typescript sees of a member is what stands in its place, and not what it refers to. */
  private withMembers({ properties, discriminator: _, ...schema }: Schema): Schema {
    if (properties === undefined) return schema;
    const marked = (each: Schema) => ({
      ...each,
      readOnly: this.is('readOnly', each),
      writeOnly: this.is('writeOnly', each),
      default: this.defaultOf(each),
    });
    return {
      ...schema,
      properties: mapValues(properties, (each) => (typeof each === 'boolean' ? each : marked(each))),
    };
  }

  private is(what: 'readOnly' | 'writeOnly', schema: AnySchema): boolean {
    if (typeof schema === 'boolean') return false;
    return schema[what] === true || (schema.$ref !== undefined && this.is(what, this.follow(schema.$ref)));
  }

  /** As the service fills it in. */
  private defaultOf(schema: AnySchema): unknown {
    return new Position(schema, this.follow).default;
  }

  /** What others serve: webhooks; and callbacks, by their operation and name. */
  private webhooks({ webhooks = {} }: Contract): Record<string, object> {
    const items: Record<string, PathItem> = { ...webhooks };
    for (const { operationId = '', callbacks = {} } of this.served) {
      for (const [name, callback] of Object.entries(callbacks)) {
        const key = `${operationId}.${name}`;
        for (const item of Object.values(this.resolve(callback))) items[key] = { ...items[key], ...item };
      }
    }
    return mapValues(items, (item) => this.part(item, 'Path Item'));
  }
}

type Operation = DeclaredOperation & { readonly callbacks?: Readonly<Record<string, Record<string, PathItem>>> };
interface Contract extends OpenApiDocument {
  readonly paths?: Readonly<Record<string, Partial<Record<Method, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, PathItem>>;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

/** To TypeScript a declared member is one of those by any name, too. */
function withOthers(schema: Schema): Schema {
  const { properties, patternProperties, additionalProperties: others } = schema;
  if (properties === undefined || (typeof others !== 'object' && patternProperties === undefined)) return schema;
  const anyOf = [others, ...Object.values(properties)].filter((each) => each !== undefined);
  return { ...schema, additionalProperties: { anyOf } };
}

function withDigits(schema: Schema): Schema {
  const { format, const: only, enum: values } = schema;
  if (format !== 'int64') return schema;
  const digits = (value: unknown) =>
    typeof value === 'bigint' || Number.isInteger(value) ? `${DIGITS}${String(value)}` : value;
  return { ...schema, ...('const' in schema && { const: digits(only) }), ...(values && { enum: values.map(digits) }) };
}

/** openapi-typescript sees nothing beside `$ref`, and takes what stands beside `anyOf` for one more alternative. */
function apart(schema: Schema): Schema {
  const { $ref, anyOf, allOf = [], ...beside } = schema;
  const parts = [...($ref === undefined ? [] : [{ $ref }]), ...(anyOf === undefined ? [] : [{ anyOf }])];
  const isAlone = Object.keys(schema).filter((keyword) => TYPED.includes(keyword)).length === 1;
  return parts.length === 0 || isAlone ? schema : { ...beside, allOf: [...allOf, ...parts] };
}
