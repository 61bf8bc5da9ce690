import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import {
  BaseResolver,
  formatProblems,
  getTotals,
  lintDocument,
  loadConfig,
  makeDocumentFromString,
  Source,
} from '@redocly/openapi-core';
import { readOpenApi } from '../src/framework/contract/document.ts';
import { ContractError } from '../src/framework/contract/errors.ts';
import { loadContract, sumOf } from '../src/framework/contract/load.ts';
import { withErrorNumbers } from './error-table.ts';
import { generateTypes } from './types.ts';
import { vocabularyPage } from './vocabulary-page.ts';

const CONTRACT = new URL('../openapi.yaml', import.meta.url);
const API = new URL('../docs/api.md', import.meta.url);
const RULES = new URL('../redocly.yaml', import.meta.url);

const HEADER = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

`;

/**
 * Lints openapi.yaml, and loads it as the service does. Then writes the files generated from openapi.yaml and
 * vocabulary.ts, or, with --check, compares them with the committed files.
 */
async function generate(check: boolean): Promise<void> {
  const yaml = await readFile(CONTRACT, 'utf8').catch((error: unknown) => {
    throw new ContractError(`openapi.yaml cannot be read: ${String(error)}`);
  });
  // This comes before the linter, which would list every difference of another OpenAPI version, and print a stack for
  // other YAML.
  const document = readOpenApi(yaml);
  await lintContract(yaml);
  await loadContract(yaml);
  const files = [
    { path: 'generated/openapi.ts', text: HEADER + (await generateTypes(yaml)) },
    { path: 'generated/openapi.sha256', text: sumOf(yaml) },
    { path: 'docs/contract.md', text: vocabularyPage() },
    { path: 'docs/api.md', text: withErrorNumbers(await readFile(API, 'utf8'), document) },
  ];
  for (const { path, text } of files) {
    const file = new URL(`../${path}`, import.meta.url);
    const committed = await readFile(file, 'utf8').catch(() => '');
    if (check && committed !== text)
      throw new ContractError(`${path} is not what it is made of: run \`npm run generate\``);
    if (check) continue;
    if (committed !== text) await writeFile(file, text);
    console.log(`${path}: ${committed === text ? 'as it was' : 'written'}`);
  }
}

async function lintContract(yaml: string): Promise<void> {
  const config = await loadConfig({ configPath: fileURLToPath(RULES) });
  const source = new Source(fileURLToPath(CONTRACT), yaml);
  const { parsed } = makeDocumentFromString(yaml, source.absoluteRef);
  const problems = await lintDocument({
    document: { source, parsed },
    config: config.styleguide,
    externalRefResolver: new BaseResolver(config.resolve),
  });
  if (problems.length === 0) return;
  const totals = getTotals(problems);
  formatProblems(problems, { format: 'codeframe', totals, version: '' });
  throw new ContractError(`openapi.yaml has ${problems.length} problem(s), shown above; generated/ is as it was`);
}

try {
  await generate(process.argv.includes('--check'));
} catch (error) {
  console.error(error instanceof ContractError ? error.message : error);
  process.exitCode = 1;
}
