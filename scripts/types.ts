import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';
import { METHODS, type OpenApiDocument, type Resolve, resolver } from '../src/contract/document.ts';

const { factory } = ts;
const BIGINT = factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const UNDEFINED = factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);

/** A schema that no contract has, for `undefined`. */
const NOT_SENT = { type: 'null', format: 'undefined' };
/** Before the digits of an int64 in `const` or `enum`, which JSON would round; and what is printed of both. */
const DIGITS = '\0int64:';
const PRINTED_DIGITS = /"\\u0000int64:(-?\d+)"/g;
/** The header parameters that OpenAPI ignores (3.1, section 4.8.12.2.1). */
const IGNORED = ['accept', 'authorization', 'content-type'];

/**
 * The types of a contract, as generated/openapi.ts has them. An int64 is `bigint`. `$Read` marks a property that is
 * readOnly, `$Write` one that is writeOnly, and `| undefined` what need not be sent since it has a default. Clients take
 * this for what it is; what an operation gets and returns is made of it in src/contract/types.ts.
 *
 * @param yaml a contract that loadContract takes
 */
export async function generateTypes(yaml: string): Promise<string> {
  const nodes = await openapiTS(forTypes(yaml), {
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

/** What is read of a map of the contract. */
type Node = Readonly<
  Partial<Record<'$ref' | 'in' | 'name' | 'schema' | 'required' | 'readOnly' | 'writeOnly' | 'default', unknown>> &
    Partial<Record<'type' | 'format' | 'const' | 'enum' | 'anyOf' | 'allOf', unknown>> &
    Partial<Record<'properties' | 'patternProperties' | 'additionalProperties', unknown>>
>;

/** The contract as openapi-typescript is shown it: what it would get wrong is put differently. */
function forTypes(yaml: string): OpenAPI3 {
  const document = parse(yaml, { intAsBigInt: true }) as OpenApiDocument;
  const resolve = resolver(document);
  const items = Object.values(document.paths ?? {});
  const served = new Set(items.flatMap((item) => METHODS.map((method) => item[method]?.operationId)));
  const text = JSON.stringify(document, (key, value: unknown) => {
    if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
    // The operation of a webhook is one that others serve.
    if (key === 'operationId' && typeof value === 'string' && !served.has(value)) return undefined;
    if (typeof value !== 'object' || value === null) return value;
    if (key === 'parameters' && Array.isArray(value))
      return value.filter((each) => !isIgnored(each, resolve)) as unknown;
    const node: Node = value;
    // Types are told apart by the `const` or `enum` of the property.
    if (key === 'discriminator' && 'propertyName' in node) return undefined;
    if ('$ref' in node) return withTarget(node, resolve);
    if (typeof node.in === 'string' && isObject(node.schema)) return orNotSent(node, resolve(node.schema));
    return withDigits(withAnyOf(withOthers(node)));
  });
  return JSON.parse(text) as OpenAPI3;
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null;
}

function isIgnored(parameter: unknown, resolve: Resolve): boolean {
  const { in: place, name } = isObject(parameter) ? resolve(parameter) : {};
  return place === 'header' && IGNORED.includes(String(name).toLowerCase());
}

/** openapi-typescript sees of a reference what stands beside it, and takes a header that is referred to for required. */
function withTarget(reference: Node, resolve: Resolve): Node {
  const target = resolve(reference);
  if (/^#\/components\/(headers|pathItems)\//.test(String(reference.$ref))) return target;
  const { readOnly, writeOnly, default: value } = target;
  return { readOnly, writeOnly, default: value, ...reference };
}

function orNotSent(parameter: Node, schema: Node): Node {
  if (parameter.required === true || schema.default === undefined) return parameter;
  return { ...parameter, schema: { anyOf: [parameter.schema, NOT_SENT] } };
}

function isOf(type: string, schema: Node): boolean {
  return [schema.type].flat().includes(type);
}

/** To TypeScript a declared member is one of those by any name, too. */
function withOthers(schema: Node): Node {
  const { properties, patternProperties, additionalProperties: others } = schema;
  if (!isOf('object', schema) || !isObject(properties)) return schema;
  if (!isObject(others) && !isObject(patternProperties)) return schema;
  return {
    ...schema,
    additionalProperties: { anyOf: [others, ...Object.values(properties)].filter((each) => each !== undefined) },
  };
}

/** openapi-typescript takes what stands beside `anyOf` for one more alternative. */
function withAnyOf(schema: Node): Node {
  const { anyOf, allOf, ...beside } = schema;
  if (!Array.isArray(anyOf) || (allOf === undefined && Object.keys(beside).length === 0)) return schema;
  return { ...beside, allOf: [...(Array.isArray(allOf) ? (allOf as unknown[]) : []), { anyOf }] };
}

function withDigits(schema: Node): Node {
  if (!isOf('integer', schema) || schema.format !== 'int64') return schema;
  // YAML's `1.0` is no bigint, but an integer.
  const digits = (value: unknown) =>
    typeof value === 'bigint' || Number.isInteger(value) ? `${DIGITS}${String(value)}` : value;
  const { const: only, enum: values } = schema;
  return { ...schema, const: digits(only), enum: Array.isArray(values) ? values.map(digits) : undefined };
}
