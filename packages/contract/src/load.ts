import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { readBasePath } from './rules/addresses.ts';
import { requireDeclared, requireKnownNames } from './rules/declared.ts';
import type { Contract } from './message/operation.ts';
import { readOperations } from './contract.ts';
import { follower, type OpenApiDocument, readOpenApi, type Schema } from './schema/document.ts';
import { ContractError } from './contract-error.ts';
import { Findings } from './schema/findings.ts';
import { exactJson } from './schema/int64.ts';
import type { ErrorBodyOf, TellFailure } from './failures.ts';
import { outsideOf, requireFailures, requireRequestIds, typeOutside } from './required-failures.ts';
import { requireOneIntegerType } from './rules/integers.ts';
import { requireOneFile } from './rules/one-file.ts';
import { requireLinearPatterns } from './rules/patterns.ts';
import { requireOpenApi } from './validator/openapi-schema.ts';
import { requireRightVerdicts } from './validator/self-test.ts';
import { type Compilers, compilersOf, withValidators } from './validator/operations.ts';
import { requireKept } from './rules/kept.ts';

/** A contract, with the function that words the failures of its service. */
export interface Loaded extends Contract {
  readonly tell: TellFailure;
  /** The refusals that an `errorBody` of the service may cure. */
  readonly ofErrorBody: readonly ContractError[];
}

/** How many contracts a process keeps. Ten services that take turns, as in tests, are compiled once each. */
const MAX_KEPT = 16;

/** The contracts of the last texts, the newest first: a process that starts a service again need not compile it again. */
let kept: readonly (Loaded & { readonly errorBody: unknown })[] = [];

/**
 * @param contract its text, or the URL of its file
 * @param errorBody the function of the service; 'any': refusals that an errorBody may cure do not count
 * @throws ContractError
 */
export async function loadContract(contract: string | URL, errorBody?: ErrorBodyOf | 'any'): Promise<Loaded> {
  const file = contract instanceof URL ? contract : undefined;
  const text = file ? await readContractFile(file, `the service reads it at ${fileURLToPath(file)}`) : String(contract);
  const sum = file ? await generatedSum(file) : '';
  const found = kept.find((each) => each.yaml === text && each.errorBody === errorBody) ?? {
    ...compile(text, sum, errorBody),
    errorBody,
  };
  kept = [found, ...kept.filter((each) => each !== found)].slice(0, MAX_KEPT);
  return found;
}

/** @param cure if the file does not exist @throws ContractError */
export async function readContractFile(contract: string | URL, cure: string): Promise<string> {
  return await readFile(contract, 'utf8').catch((error: unknown) => {
    const code = Error.isError(error) && 'code' in error ? error.code : error;
    const path = contract instanceof URL ? fileURLToPath(contract) : contract;
    throw new ContractError(
      code === 'ENOENT'
        ? `openapi.yaml does not exist: ${cure}`
        : `openapi.yaml cannot be read: ${String(code)}: let ${path} be a file that you may read`,
    );
  });
}

function compile(text: string, sum: string, errorBody: ErrorBodyOf | 'any' | undefined): Loaded {
  const { found, ...loaded } = examine(text, sum, errorBody === 'any' ? undefined : errorBody, undefined, true);
  found.requireNone(errorBody !== 'any');
  return { ...loaded, ofErrorBody: found.ofErrorBody };
}

/** What the text of a contract says, and all reasons why the service cannot keep it. */
export interface Examined extends Omit<Loaded, 'ofErrorBody'> {
  readonly found: Findings;
  readonly schemas: ReadonlySet<Schema>;
  /** What compiled the operations, and compiles parts of their messages in a fraction of the time. */
  readonly compilers: Compilers;
}

/**
 * @param sum `sumOf` a document which `npm run generate` has checked by the schema of OpenAPI and for its patterns
 * @param document the parsed text, if it was parsed already
 * @param isServed whether messages will be validated by it
 * @throws ContractError if the text is not YAML, or not OpenAPI 3.1
 */
export function examine(
  text: string,
  sum = '',
  errorBody?: ErrorBodyOf,
  document = readOpenApi(text),
  isServed = false,
): Examined {
  requireRightVerdicts();
  const found = new Findings();
  const { attempt, isSound } = found;
  const follow = follower(document);
  const schemas = requireKept(document, found);
  // These checks take a sixth of a start: a document that generate has checked skips them.
  if (sum !== sumOf(document)) {
    requireOpenApi(document, found);
    requireOneFile(document, found);
    for (const schema of [...schemas].filter(isSound))
      attempt(() => {
        requireLinearPatterns(schema);
        requireDeclared(schema, follow);
        requireKnownNames(schema, follow);
      });
  }
  const basePath = readBasePath(document, attempt, isSound);
  const compilers = compilersOf(document, isServed);
  const operations = withValidators(readOperations(document, attempt, isSound), document, attempt, compilers);
  const judged = errorBody === undefined ? [] : (attempt(() => outsideOf(document, typeOutside(operations))) ?? []);
  const [outside] = withValidators(judged, document, attempt, compilers);
  const tell = requireFailures(document, operations, follow, errorBody, outside, attempt);
  requireRequestIds(operations, compilers.reply, attempt);
  const sent = operations.flatMap(({ values, body }) => [values, ...(body?.types.values() ?? [])]);
  const values = sent.map(({ schema }) => schema);
  requireOneIntegerType(values, follow, attempt);
  return { yaml: text, document, basePath, operations, tell, found, schemas, compilers };
}

/** The hash of the parsed document: a formatter of YAML does not change it. */
export function sumOf(document: OpenApiDocument): string {
  return `${hash('sha256', exactJson(document))}\n`;
}

async function generatedSum(file: URL): Promise<string> {
  return await readFile(new URL('generated/openapi.sha256', file), 'utf8').catch(() => '');
}
