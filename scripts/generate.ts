import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';
import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import { parse } from 'yaml';
import { readOpenApi } from '../src/contract/document.ts';
import { ContractError } from '../src/contract/errors.ts';
import { loadContract } from '../src/contract/load.ts';

const CONTRACT = new URL('../openapi.yaml', import.meta.url);
const RULES = new URL('../redocly.yaml', import.meta.url);
const TYPES = new URL('../generated/openapi.ts', import.meta.url);

const HEADER = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

`;

/** Lints openapi.yaml, proves that the service can hold to it, and writes its types (or, with --check, compares them). */
async function generate(check: boolean): Promise<void> {
  const yaml = await readFile(CONTRACT, 'utf8').catch((error: unknown) => {
    throw new ContractError(`openapi.yaml cannot be read: ${String(error)}`);
  });
  // Before the linter, which would list all that is different in another version, and show a stack where there is none.
  readOpenApi(yaml);
  await lintContract();
  await loadContract(yaml);
  const types = await generateTypes(yaml);
  const committed = await readFile(TYPES, 'utf8').catch(() => '');
  if (!check) {
    await writeFile(TYPES, types);
    console.log(`generated/openapi.ts: ${committed === types ? 'as it was' : 'written'}`);
  } else if (committed !== types)
    throw new ContractError('generated/openapi.ts is not what openapi.yaml says: run `npm run generate`');
}

async function lintContract(): Promise<void> {
  const config = await loadConfig({ configPath: fileURLToPath(RULES) });
  const problems = await lint({ ref: fileURLToPath(CONTRACT), config });
  if (problems.length === 0) return;
  const totals = getTotals(problems);
  formatProblems(problems, { format: 'codeframe', totals, version: '' });
  throw new ContractError(`openapi.yaml has ${problems.length} problem(s), shown above; generated/ is as it was`);
}

/** The text of generated/openapi.ts: the types of a contract, in which int64 is `bigint`. @param yaml valid OpenAPI 3.1 */
async function generateTypes(yaml: string): Promise<string> {
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

try {
  await generate(process.argv.includes('--check'));
} catch (error) {
  console.error(error instanceof ContractError ? error.message : error);
  process.exitCode = 1;
}
