import openapiTS, {
  astToString,
  type ArraySubtype,
  type OpenAPI3,
  type SchemaObject,
  type TransformNodeOptions,
  transformSchemaObject,
} from 'openapi-typescript';
import ts from 'typescript';
import { readOpenApi, type Schema } from '../src/schema/document.ts';
import { BYTES, contractForTypes, DIGITS, NOT_SENT } from './contract-for-types.ts';
import { forLibraries, withOwnNames } from './for-libraries.ts';

const { factory } = ts;
const BIGINT = factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const UINT8ARRAY = factory.createTypeReferenceNode('Uint8Array');
const UNDEFINED = factory.createKeywordTypeNode(ts.SyntaxKind.UndefinedKeyword);

/**
 * Generates generated/openapi.ts. An int64 is `bigint`. `$Read` marks a readOnly property, `$Write` a writeOnly one,
 * `| undefined` one with a default, which a client may omit. Clients may use these types; src/types.ts derives
 * those of the operations. `errors` has the body of each failure, with the text of `x-error-numbers`.
 *
 * @param yaml a contract that loadContract() accepts
 */
export async function generateTypes(yaml: string): Promise<string> {
  // Bigints remain only in examples and defaults, which become comments.
  const document = forLibraries(contractForTypes(readOpenApi(yaml)), String);
  /** A named type for each union of error numbers keeps the compiler's messages short. */
  const errorNumbers = new Map<string, string>();
  const meanings = new Map<string, string>();
  const nodes = await openapiTS(document as OpenAPI3, {
    // The markers add helper types, which most contracts do not need.
    readWriteMarkers: /\b(?:read|write)Only\b/.test(yaml),
    // True would make properties with a default required in requests too.
    defaultNonNullable: false,
    transform(schema, options) {
      if (schema.format === NOT_SENT.format) return UNDEFINED;
      if (schema.format === BYTES.format) return UINT8ARRAY;
      const { 'x-error-numbers': numbers } = schema as Schema;
      if (numbers !== undefined) {
        const listed = Object.keys(numbers).join(' | ');
        const name = errorNumbers.get(listed) ?? `ErrorNumber${errorNumbers.size === 0 ? '' : errorNumbers.size + 1}`;
        errorNumbers.set(listed, name);
        for (const [number, meaning] of Object.entries(numbers)) meanings.set(number, meaning);
        return factory.createTypeReferenceNode(name);
      }
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
  // Each service imports this type.
  if (errorNumbers.size === 0) errorNumbers.set('number', 'ErrorNumber');
  const aliases = Array.from(errorNumbers, ([listed, name]) => `export type ${name} = ${listed};\n`).join('');
  const text = withOwnNames(astToString(nodes) + aliases + errorsOf(meanings));
  return text.replaceAll(new RegExp(`"${DIGITS}(-?\\d+)"`, 'g'), '$1n');
}

/** The body of each failure, for operations. A message begins with a small letter, as those of the service do. */
function errorsOf(meanings: ReadonlyMap<string, string>): string {
  const lines = Array.from(meanings, ([number, meaning]) => {
    const message = meaning.replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
    return `    ${number}: { error: ${number}, message: ${JSON.stringify(message)} },\n`;
  });
  return `export const errors = {\n${lines.join('')}} as const;\n`;
}

/** openapi-typescript would require all `prefixItems`, and allow no items after them. */
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
