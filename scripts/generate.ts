import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createConfig, formatProblems, getTotals, lint } from '@redocly/openapi-core';
import { readOpenApi } from '../src/contract/document.ts';
import { ContractError } from '../src/contract/errors.ts';
import { loadContract } from '../src/contract/load.ts';
import { generateTypes } from './generated-types.ts';

const CONTRACT = new URL('../openapi.yaml', import.meta.url);
const TYPES = new URL('../generated/openapi.ts', import.meta.url);

/** The formats that are held to; any other would be ignored. */
const FORMATS =
  'int32 int64 float double byte date date-time time email hostname ipv4 ipv6 uri uri-reference uuid regex';
const RULES = {
  'rule/format': {
    subject: { type: 'Schema', property: 'format' },
    message: `the format must be one of ${FORMATS}`,
    assertions: { enum: FORMATS.split(' ') },
  },
} as const;

/** Lints openapi.yaml, proves that the service can hold to it, and writes its types (or, with --check, compares them). */
async function generate(check: boolean): Promise<void> {
  const yaml = await readFile(CONTRACT, 'utf8').catch((error: unknown) => {
    throw new ContractError(`openapi.yaml cannot be read: ${String(error)}`);
  });
  // Of another version the linter would name whatever it has another way, and of no version show a stack.
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
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES });
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
