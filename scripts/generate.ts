import { globSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { BaseResolver, formatProblems, getTotals, lintDocument, loadConfig, Source } from '@redocly/openapi-core';
import { type OpenApiDocument, readOpenApi } from '../src/framework/contract/document.ts';
import { ContractError } from '../src/framework/contract/errors.ts';
import { loadContract, sumOf } from '../src/framework/contract/load.ts';
import { VOCABULARY } from '../src/framework/contract/vocabulary.ts';
import { withErrorNumbers } from './error-table.ts';
import { requireFittingExamples } from './examples.ts';
import { forLibraries, withOwnNames } from './for-libraries.ts';
import { generateTypes } from './types.ts';
import { vocabularyPage } from './vocabulary-page.ts';

const MAX_SHOWN = 100;

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const RULES = join(ROOT, 'redocly.yaml');
/** Of the service of this project, then of the others that it holds. */
const CONTRACTS = [
  'openapi.yaml',
  ...globSync('{examples/*,test/bench/service,test/framework/items}/openapi.yaml', { cwd: ROOT }).toSorted(),
];
const { values, positionals } = parseArgs({ options: { check: { type: 'boolean' } }, allowPositionals: true });

const HEADER = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

`;

interface Generated {
  /** Relative to the folder of the project. */
  readonly path: string;
  readonly text: string;
}

/** Lints a contract, loads it as the service does, and generates the files beside it. @throws ContractError */
async function ofContract(path: string): Promise<Generated[]> {
  const yaml = await readFile(join(ROOT, path), 'utf8').catch((error: unknown) => {
    throw new ContractError(`${path} cannot be read: ${String(error)}`);
  });
  // Before the linter, which lists every difference of another version, and prints a stack for what is not YAML.
  const document = readOpenApi(yaml);
  await lintContract(document, yaml, path);
  await loadContract(yaml);
  requireFittingExamples(document);
  const folder = join(dirname(path), 'generated');
  return [
    { path: join(folder, 'openapi.ts'), text: HEADER + (await generateTypes(yaml)) },
    { path: join(folder, 'openapi.sha256'), text: sumOf(yaml) },
  ];
}

/** Those from the contract of this project, and from vocabulary.ts. */
async function pages(): Promise<Generated[]> {
  const read = (path: string) =>
    readFile(join(ROOT, path), 'utf8').catch((error: unknown) => {
      throw new ContractError(`${path} cannot be read, of which a part is generated: ${String(error)}`);
    });
  return [
    { path: 'docs/contract.md', text: vocabularyPage() },
    { path: 'docs/api.md', text: withErrorNumbers(await read('docs/api.md'), readOpenApi(await read('openapi.yaml'))) },
  ];
}

/** Writes the generated files, or, with --check, compares them with the committed ones. @param contracts their paths */
async function generate(contracts: readonly string[], check = false): Promise<void> {
  const files: Generated[] = [];
  for (const contract of contracts) {
    const generated = ofContract(contract).catch((error: unknown) => {
      // Its messages name every contract `openapi.yaml`.
      if (!(error instanceof ContractError)) throw error;
      throw new ContractError(error.message.replaceAll('openapi.yaml', contract));
    });
    files.push(...(await generated));
  }
  const report: string[] = [];
  const ofProject = contracts.includes('openapi.yaml') ? await pages() : [];
  for (const { path, text } of [...files, ...ofProject]) {
    const file = join(ROOT, path);
    const committed = await readFile(file, 'utf8').catch(() => '');
    if (check && committed !== text) throw new ContractError(`${path} is out of date: run \`npm run generate\``);
    if (check) continue;
    if (committed !== text) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    report.push(`${path}: ${committed === text ? 'as it was' : 'written'}`);
  }
  // Once all are written: a reader such as `head`, which closes the pipe early, stops none.
  if (!check) console.log(report.join('\n'));
}

async function lintContract(document: OpenApiDocument, yaml: string, path: string): Promise<void> {
  const config = await loadConfig({ configPath: RULES });
  const source = new Source(join(ROOT, path), yaml);
  const found = await lintDocument({
    document: { source, parsed: forLibraries(document, Number) },
    config: config.styleguide,
    externalRefResolver: new BaseResolver(config.resolve),
  });
  const own = <T extends { readonly pointer?: string | undefined }>(place: T): T =>
    place.pointer === undefined ? place : { ...place, pointer: withOwnNames(place.pointer) };
  const problems = found.map((problem) => ({
    ...problem,
    message: withOwnNames(problem.message),
    suggest: problem.suggest.map(withOwnNames),
    location: problem.location.map(own),
    ...(problem.from && { from: own(problem.from) }),
  }));
  if (problems.length === 0) return;
  const shown = problems.slice(0, MAX_SHOWN).map((each) => ({ ...each, message: withCure(each.message) }));
  // Redocly would name an option of its own for the rest.
  formatProblems(shown, { format: 'codeframe', totals: getTotals(shown), version: '' });
  const which = shown.length < problems.length ? `of which the first ${MAX_SHOWN} are shown above` : 'shown above';
  throw new ContractError(`openapi.yaml has ${problems.length} problem(s), ${which}; generated/ is as it was`);
}

/** For a keyword that OpenAPI 3.1 does not know, but the vocabulary does. */
function withCure(message: string): string {
  const [, name = ''] = /^Property `(\w+)` is not expected here\.$/.exec(message) ?? [];
  const row = Object.hasOwn(VOCABULARY.Schema, name) ? VOCABULARY.Schema[name] : undefined;
  return row?.is === 'refused' ? `${name} is not supported: ${row.how}` : message;
}

try {
  await generate(positionals.length > 0 ? positionals : CONTRACTS, values.check);
} catch (error) {
  console.error(error instanceof ContractError ? error.message : error);
  process.exitCode = 1;
}
