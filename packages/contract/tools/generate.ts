import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import {
  BaseResolver,
  type Config,
  createConfig,
  formatProblems,
  getTotals,
  lintDocument,
  Source,
} from '@redocly/openapi-core';
import { parse } from 'yaml';
import { follower, locationOf, type OpenApiDocument } from '../src/schema/document.ts';
import { ContractError } from '../src/contract-error.ts';
import { unlistedNumbers } from '../src/listed-numbers.ts';
import type { Contract } from '../src/message/operation.ts';
import { examine, sumOf } from '../src/load.ts';
import { outlinesOf } from '../src/message/undeclared.ts';
import { untestedValidator } from '../src/validator/self-test.ts';
import { requireTypes } from './contract-for-types.ts';
import { contradictions } from './contradictions.ts';
import { withErrorNumbers } from './error-table.ts';
import { requireFittingExamples } from './examples.ts';
import { forLibraries, withOwnNames } from './for-libraries.ts';
import { plugin } from './lint-rules.ts';
import { readContract } from './read-contract.ts';
import { generateTypes } from './types.ts';

const MAX_SHOWN = 100;
const MAX_PLACES = 10;

const CONTRACT = 'openapi.yaml';
/** A page of the service with a table of its error numbers, if it has one. */
const PAGE = 'docs/api.md';
const SERVICE = 'service/index.ts';
const RULES = 'redocly.yaml';
/** The rules of a service that has none. */
const DEFAULT_RULES = { extends: ['recommended'] };

const HEADER = `// Generated from openapi.yaml by \`npm run generate\`. Do not edit.

`;

/**
 * Loads a contract as the service does, and lints it for `check`.
 *
 * @returns the files beside it, by their path in the folder of the service
 * @throws ContractError
 */
async function generated(folder: string, check: boolean) {
  const yaml = await readContract(join(folder, CONTRACT));
  const examined = examine(yaml);
  const { document, found } = examined;
  requireTypes(examined);
  requireFittingExamples(examined);
  found.requireNone(false);
  const warn = (message: string) => {
    console.error(message.replaceAll(CONTRACT, join(folder, CONTRACT)));
  };
  const untested = untestedValidator();
  if (untested !== undefined) warn(untested);
  const [first, ...like] = found.ofErrorBody;
  const places = like.length === 0 ? '' : `, and ${like.length} more of its kind`;
  if (first !== undefined && !(await hasErrorBody(folder)))
    warn(`${first.message}${places}; the service starts only with an errorBody that makes valid bodies`);
  // On stdout, beside the files that generate reports: this is a finding about them, and no fault of the run.
  for (const each of contradictions(examined)) console.log(each.replaceAll(CONTRACT, join(folder, CONTRACT)));
  const open = check ? undefined : leftOut(examined);
  if (open !== undefined) console.log(open.replaceAll(CONTRACT, join(folder, CONTRACT)));
  const unlisted = unlistedNumbers(document).join(', ');
  if (check && unlisted !== '')
    throw new ContractError(`x-error-numbers lacks ${unlisted}, which the service may answer: add them`, CONTRACT);
  // Faults of style do not keep a service from running: only `check` looks for them.
  if (check) await lintContract(document, yaml, folder);
  const page = await readFile(join(folder, PAGE), 'utf8').catch(() => undefined);
  return [
    { path: 'generated/openapi.ts', text: HEADER + (await generateTypes(yaml)) },
    { path: 'generated/openapi.sha256', text: sumOf(document) },
    ...(page === undefined ? [] : [{ path: PAGE, text: withErrorNumbers(page, document) }]),
  ];
}

/** A line about the objects that have `properties` and say nothing of other members, if there are any. */
function leftOut({ document, operations }: Contract): string | undefined {
  const schemas = operations.flatMap(({ body, values, replies }) => [
    ...Array.from(body?.types.values() ?? [], ({ schema }) => schema),
    values.schema,
    ...Array.from(replies.values(), ({ content }) => content?.schema ?? true),
  ]);
  const places = [...new Set(Array.from(outlinesOf(follower(document)).leaving(schemas), (each) => locationOf(each)))];
  if (places.length === 0) return undefined;
  const [is, more] = [places.length === 1 ? '1 object' : `${places.length} objects`, places.slice(MAX_PLACES).length];
  const shown = [...places.slice(0, MAX_PLACES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
  return `the members that no schema names are left out of requests and replies in ${is}, unless additionalProperties: true keeps them: ${shown}`;
}

/** Whether the service names an `errorBody`, whose bodies the start compares with the contract. */
async function hasErrorBody(folder: string): Promise<boolean> {
  const service = await readFile(join(folder, SERVICE), 'utf8').catch(() => '');
  return /\berrorBody\b/.test(service);
}

/**
 * Writes the generated files of a service, or, with `check`, compares them with those that it has.
 *
 * @param folder of the contract, as the developer named it
 * @throws ContractError
 */
export async function generate(folder: string, check = false): Promise<void> {
  const files = await generated(folder, check).catch((error: unknown) => {
    // The messages name every contract `openapi.yaml`.
    if (!(error instanceof ContractError)) throw error;
    throw new ContractError(error.message.replaceAll(CONTRACT, join(folder, CONTRACT)));
  });
  const report: string[] = [];
  for (const { path, text } of files) {
    const file = join(folder, path);
    const committed = await readFile(file, 'utf8').catch(() => '');
    // Git on Windows may check files out with CRLF.
    const isSame = committed.replaceAll('\r\n', '\n') === text.replaceAll('\r\n', '\n');
    if (check && !isSame) throw new ContractError(`${file} is out of date: run \`npm run generate\``);
    if (check) continue;
    if (!isSame) {
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    report.push(`${file}: ${isSame ? 'as it was' : 'written'}`);
  }
  // This comes last: a reader such as `head`, which closes the pipe early, must not keep a file from being written.
  if (!check) console.log(report.join('\n'));
}

/** The rules of the service, or of the nearest folder around it that has some. */
async function rulesFor(folder: string): Promise<Config> {
  let at = resolve(folder);
  while (!existsSync(join(at, RULES)) && at !== dirname(at)) at = dirname(at);
  const file = join(at, RULES);
  // A file without rules, empty or of comments alone, is null.
  const rules = existsSync(file) ? (parse(await readFile(file, 'utf8')) as typeof DEFAULT_RULES | null) : undefined;
  return createConfig({ ...(rules ?? DEFAULT_RULES), plugins: [plugin] }, { configPath: file });
}

async function lintContract(document: OpenApiDocument, yaml: string, folder: string): Promise<void> {
  const config = await rulesFor(folder);
  const source = new Source(resolve(folder, CONTRACT), yaml);
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
  const shown = problems.slice(0, MAX_SHOWN);
  // For the rest, Redocly would name an option of its own command.
  formatProblems(shown, { format: 'stylish', totals: getTotals(shown), version: '' });
  const errors = problems.filter(({ severity }) => severity === 'error').length;
  if (errors === 0) return;
  const which = shown.length < problems.length ? `the first ${MAX_SHOWN} problems are shown above` : 'shown above';
  throw new ContractError(`openapi.yaml breaks the rules of ${RULES} ${errors} time(s): ${which}`);
}
