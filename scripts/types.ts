import openapiTS, {
  astToString,
  type ArraySubtype,
  type OpenAPI3,
  type SchemaObject,
  type TransformNodeOptions,
  transformSchemaObject,
} from 'openapi-typescript';
import ts from 'typescript';
import { readOpenApi, type Schema } from '../src/contract/document.ts';
import { ContractForTypes, DIGITS, NOT_SENT } from './contract-for-types.ts';

const { factory } = ts;
const BIGINT = factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const UNDEFINED = factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);

/**
 * The types of a contract, as generated/openapi.ts has them. An int64 is `bigint`, an error number one of those that are
 * listed. `$Read` marks a property that is
 * readOnly, `$Write` one that is writeOnly, and `| undefined` what need not be sent since it has a default. Clients take
 * this for what it is; what an operation gets and returns is made of it in src/contract/types.ts.
 *
 * @param yaml a contract that loadContract takes
 */
export async function generateTypes(yaml: string): Promise<string> {
  const { document } = new ContractForTypes(readOpenApi(yaml));
  // Digits beyond those of a number are left in examples and defaults, which are comments.
  const text = JSON.stringify(document, (_key, value: unknown) => (typeof value === 'bigint' ? String(value) : value));
  const nodes = await openapiTS(JSON.parse(text) as OpenAPI3, {
    // They come with helper types, which other contracts can do without.
    readWriteMarkers: /\b(?:read|write)Only\b/.test(yaml),
    // It would make properties with a default required, in what clients send too.
    defaultNonNullable: false,
    transform(schema, options) {
      if (schema.format === NOT_SENT.format) return UNDEFINED;
      const { 'x-error-numbers': numbers } = schema as Schema;
      if (numbers !== undefined) return oneOf(Object.keys(numbers));
      if (schema.type === 'array' && schema.prefixItems !== undefined) return tuple(schema, options);
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
  return astToString(nodes).replaceAll(new RegExp(`"${DIGITS}(-?\\d+)"`, 'g'), '$1n');
}

function oneOf(numbers: readonly string[]): ts.TypeNode {
  const types = numbers.map((number) => factory.createLiteralTypeNode(factory.createNumericLiteral(number)));
  return factory.createUnionTypeNode(types);
}

/** openapi-typescript would have each of `prefixItems` there, and nothing behind them. */
function tuple(schema: ArraySubtype, options: TransformNodeOptions): ts.TypeNode {
  const { prefixItems = [], items, minItems = 0, maxItems = Infinity } = schema;
  const typeOf = (each: unknown) => transformSchemaObject(each as SchemaObject, options);
  const first = prefixItems
    .map(typeOf)
    .map((each, index) => (index < minItems ? each : factory.createOptionalTypeNode(each)));
  if ((items as unknown) === false || maxItems <= first.length) return factory.createTupleTypeNode(first);
  const rest = factory.createArrayTypeNode(typeOf(items ?? true));
  return factory.createTupleTypeNode([...first, factory.createRestTypeNode(rest)]);
}
