import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';
import { ContractError } from '../src/contract/errors.ts';

const HEADER = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

`;

/** The text of generated/openapi.ts: the types of a contract, in which int64 is `bigint`. @param yaml valid OpenAPI 3.1 */
export async function generateTypes(yaml: string): Promise<string> {
  const document = withInlineHeaders(parse(yaml) as OpenAPI3);
  const nodes = await openapiTS(document, {
    transform: ({ type, format }, { path = '' }) => {
      if (format !== 'int64' || ![type].flat().includes('integer')) return undefined;
      const bigint = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
      if (type === 'integer') return bigint;
      throw new ContractError(
        `openapi.yaml, ${path}: an int64 must be of type integer alone: write alternatives as anyOf`,
      );
    },
  });
  return HEADER + astToString(nodes);
}

/** openapi-typescript takes every header that is referred to for required: it sees whether it is only in its place. */
function withInlineHeaders(document: OpenAPI3): OpenAPI3 {
  const headers: Readonly<Record<string, unknown>> = document.components?.headers ?? {};
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => {
    const reference = typeof value === 'object' && value !== null && '$ref' in value ? value.$ref : undefined;
    const [, name = ''] = typeof reference === 'string' ? (/^#\/components\/headers\/(.+)$/.exec(reference) ?? []) : [];
    return headers[name] ?? value;
  }) as OpenAPI3;
}
