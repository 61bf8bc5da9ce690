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
  type Resolve,
  resolver,
  type Schema,
} from '../src/contract/document.ts';
import { Position } from '../src/contract/positions.ts';
import { isIgnored, type Kind, VOCABULARY } from '../src/contract/vocabulary.ts';

/** Stands for `undefined`. No contract contains this schema. */
export const NOT_SENT = { type: 'null', format: 'undefined' };
/** The prefix of a string for an int64 in `const` or `enum`, whose digits a number would round. */
export const DIGITS = 'digits of an int64: ';

/** Keywords whose schemas apply to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf'];
/** Keywords that give an object a type more specific than "any object". */
const OF_OBJECTS = [
  '$ref',
  'allOf',
  'anyOf',
  'oneOf',
  'enum',
  'const',
  'properties',
  'patternProperties',
  'additionalProperties',
  'unevaluatedProperties',
];
/** Keywords that openapi-typescript turns into types. */
const TYPED = [...OF_OBJECTS, 'type', 'required', 'items', 'prefixItems'];

type Operation = DeclaredOperation & { readonly callbacks?: Readonly<Record<string, Record<string, PathItem>>> };
interface Contract extends OpenApiDocument {
  readonly paths?: Readonly<Record<string, Partial<Record<Method, Operation>>>>;
  readonly webhooks?: Readonly<Record<string, PathItem>>;
}

/** Rewrites the parts of a contract that openapi-typescript would turn into wrong types. */
export class ContractForTypes {
  readonly document: object;
  private readonly served: readonly Operation[];
  private readonly resolve: Resolve;
  private readonly follow: Follow;
  /** The targets of references to places other than components. */
  private readonly lifted: Record<string, object> = {};
  /** The unions of withOthers(), whose alternatives may or may not be an int64. */
  private readonly unions = new Set<object>();

  constructor(contract: Contract) {
    const items = Object.values(contract.paths ?? {});
    this.served = items.flatMap((item) => METHODS.flatMap((method) => item[method] ?? []));
    this.resolve = resolver(contract);
    this.follow = follower(contract);
    const document = this.part(contract, 'OpenAPI') as { components?: { schemas?: object } };
    const webhooks = this.webhooks(contract);
    const schemas = { ...document.components?.schemas, ...this.lifted };
    this.document = { ...document, webhooks, components: { ...document.components, schemas } };
  }

  /** Operations that clients serve: webhooks, and callbacks named by operation and callback. */
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

  /** @param int64 whether a schema around this one makes the value an int64 */
  private part(value: object, kind: Kind, int64 = false): object {
    const isInt64 = kind === 'Schema' && !this.unions.has(value) && (int64 || new Position(value, this.follow).int64);
    const rows = VOCABULARY[kind];
    const fields = Object.entries(this.put(value, kind, isInt64)).map(([name, member]: [string, unknown]) => {
      const holds = Object.hasOwn(rows, name) ? rows[name]?.holds : undefined;
      if (holds === undefined) return [name, member];
      const inPlace = IN_PLACE.includes(name);
      const inner = (each: unknown) => {
        if (isObject(each)) return this.part(each, holds.kind, inPlace && isInt64);
        // In these fields openapi-typescript fails on the schema `true`, and ignores the schema `false`: write them as
        // objects.
        if (inPlace || name === 'schema') return each === true ? {} : { enum: [] };
        return each;
      };
      if (holds.in === undefined || !isObject(member)) return [name, inner(member)];
      return [name, Array.isArray(member) ? member.map(inner) : mapValues(member, inner)];
    });
    return Object.fromEntries(fields) as object;
  }

  private put(value: object, kind: Kind, isInt64: boolean): object {
    switch (kind) {
      case 'Path Item':
        return this.withoutIgnored(value);
      case 'Operation': {
        // Only an operation of the service keeps its operationId, which demands a handler.
        const { operationId: _, ...operation }: Operation = value;
        return this.withoutIgnored(this.served.includes(value) ? value : operation);
      }
      case 'Parameter':
        return this.orNotSent(value as Parameter);
      case 'Header':
        // openapi-typescript makes a header behind a reference required.
        return this.resolve(value);
      case 'Schema': {
        const schema = this.withComponent(this.withOthers(this.withMembers(value)));
        return apart(withValues(isInt64 ? asInt64(schema) : schema));
      }
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

  /** openapi-typescript does not look for `readOnly`, `writeOnly` and `default` behind a member's reference. */
  private withMembers({ properties, discriminator: _, ...schema }: Schema): Schema {
    if (properties === undefined) return schema;
    const marked = (each: Schema) => ({
      ...each,
      readOnly: this.is('readOnly', each),
      writeOnly: this.is('writeOnly', each),
      default: this.defaultOf(each),
    });
    const members = mapValues(properties, (each) => (typeof each === 'boolean' ? each : marked(each)));
    return { ...schema, properties: members };
  }

  /**
   * Widens `additionalProperties`: openapi-typescript generates no members for an object without `properties`, and
   * TypeScript requires the index signature to allow the types of all named members too.
   */
  private withOthers(schema: Schema): Schema {
    const { type, properties, patternProperties, additionalProperties: others } = schema;
    const isAny = [type].flat().includes('object') && !OF_OBJECTS.some((keyword) => keyword in schema);
    if (isAny) return { ...schema, additionalProperties: true };
    if (properties === undefined || (typeof others !== 'object' && patternProperties === undefined)) return schema;
    const union = { anyOf: [others, ...Object.values(properties)].filter((each) => each !== undefined) };
    this.unions.add(union);
    return { ...schema, additionalProperties: union };
  }

  /** openapi-typescript turns `$defs` into a member, and a reference into another member into an optional type. */
  private withComponent({ $defs: _, ...schema }: Schema): Schema {
    const name = schema.$ref?.replace(/^#\/(?:components\/schemas\/)?/, '');
    if (schema.$ref === undefined || name?.includes('/') !== true) return schema;
    if (!Object.hasOwn(this.lifted, name)) {
      const target = this.follow(schema.$ref);
      // Set before the recursion, as a schema may refer to itself.
      this.lifted[name] = {};
      this.lifted[name] = typeof target === 'boolean' ? { anyOf: [target] } : this.part(target, 'Schema');
    }
    return { ...schema, $ref: `#/components/schemas/${name.replaceAll('~', '~0').replaceAll('/', '~1')}` };
  }

  private is(what: 'readOnly' | 'writeOnly', schema: AnySchema): boolean {
    if (typeof schema === 'boolean') return false;
    return schema[what] === true || (schema.$ref !== undefined && this.is(what, this.follow(schema.$ref)));
  }

  /** The default that the service fills in. */
  private defaultOf(schema: AnySchema): unknown {
    return new Position(schema, this.follow).default;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}

function mapValues<T, R>(values: Readonly<Record<string, T>>, change: (value: T) => R): Record<string, R> {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, change(value)]));
}

function asInt64(schema: Schema): Schema {
  const { type, const: only, enum: values } = schema;
  const digits = (value: unknown) =>
    typeof value === 'bigint' || Number.isInteger(value) ? `${DIGITS}${String(value)}` : value;
  return {
    ...schema,
    ...([type].flat().includes('integer') && { format: 'int64' }),
    ...('const' in schema && { const: digits(only) }),
    ...(values && { enum: values.map(digits) }),
  };
}

/** openapi-typescript adds null to an `enum` beside several types, and reads an `enum` of objects as alternatives. */
function withValues(schema: Schema): Schema {
  const { type, ...others } = schema;
  return schema.enum === undefined || (typeof type === 'string' && type !== 'object') ? schema : others;
}

/** openapi-typescript ignores keywords beside `$ref`, and misreads keywords beside `anyOf` and `oneOf`. */
function apart(schema: Schema): Schema {
  const { $ref, anyOf, oneOf, allOf = [], ...beside } = schema;
  const parts = Object.entries({ $ref, anyOf, oneOf }).flatMap(([keyword, value]) =>
    value === undefined ? [] : [{ [keyword]: value }],
  );
  const isAlone = Object.keys(schema).filter((keyword) => TYPED.includes(keyword)).length === 1;
  return parts.length === 0 || isAlone ? schema : { ...beside, allOf: [...allOf, ...parts] };
}
