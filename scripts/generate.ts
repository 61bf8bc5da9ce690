import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { formatProblems, getTotals, lint, loadConfig } from '@redocly/openapi-core';
import { readOpenApi } from '../src/contract/document.ts';
import { ContractError } from '../src/contract/errors.ts';
import { loadContract } from '../src/contract/load.ts';
import { generateTypes } from './types.ts';

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
  const types = HEADER + (await generateTypes(yaml));
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

try {
  await generate(process.argv.includes('--check'));
} catch (error) {
  console.error(error instanceof ContractError ? error.message : error);
  process.exitCode = 1;
}
