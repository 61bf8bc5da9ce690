import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readBasePath } from './rules/addresses.ts';
import { requireDeclared } from './rules/closed.ts';
import { type Contract, readOperations } from './contract.ts';
import { follower, type OpenApiDocument, readOpenApi } from './schema/document.ts';
import { exactJson } from './schema/int64.ts';
import { type ErrorBodyOf, outsideOf, requireFailures, requireRequestIds, type TellFailure } from './failures.ts';
import { requireOneIntegerType } from './rules/integers.ts';
import { requireOneFile } from './rules/one-file.ts';
import { requireLinearPatterns } from './rules/patterns.ts';
import { requireOpenApi, withValidators } from './validator/validator-eov.ts';
import { requireKept } from './rules/vocabulary.ts';

/**
 * @param sum of the document that `npm run generate` has checked by the schema of OpenAPI, and its patterns
 * @throws ContractError if the text is not YAML, not OpenAPI 3.1, or has a field that the service does not support
 */
export function loadDocument(yaml: string, sum = ''): OpenApiDocument {
  const document = readOpenApi(yaml);
  // The two checks that it skips take a sixth of a start.
  const isKnown = sum === sumOf(document);
  if (!isKnown) requireOpenApi(document);
  const schemas = requireKept(document);
  if (isKnown) return document;
  requireOneFile(document);
  requireLinearPatterns(schemas);
  requireDeclared(schemas, follower(document));
  return document;
}

/** A contract, and how its service tells failures. */
interface Loaded extends Contract {
  readonly tell: TellFailure;
}

/** The contract of the last file: a process that starts its service again, as tests do, need not compile it again. */
let last: (Loaded & { readonly errorBody: unknown }) | undefined;

/**
 * @param contract its text, or the URL of its file
 * @param errorBody of its service, if it has one; 'any': it may have one, which is not compared with the contract
 * @throws ContractError
 */
export async function loadContract(contract: string | URL, errorBody?: ErrorBodyOf | 'any'): Promise<Loaded> {
  if (typeof contract === 'string') return compile(contract, '', errorBody);
  const text = await readFile(contract, 'utf8');
  if (last?.yaml !== text || last.errorBody !== errorBody)
    last = { ...compile(text, await generatedSum(contract), errorBody), errorBody };
  return last;
}

function compile(text: string, sum: string, errorBody: ErrorBodyOf | 'any' | undefined): Loaded {
  const document = loadDocument(text, sum);
  const basePath = readBasePath(document);
  const follow = follower(document);
  const judged = typeof errorBody === 'function' ? outsideOf(document) : [];
  const all = withValidators([...readOperations(document), ...judged], document);
  const [operations, [outside]] = [all.slice(0, all.length - judged.length), all.slice(all.length - judged.length)];
  const tell = requireFailures(document, operations, follow, errorBody, outside);
  requireRequestIds(operations);
  const sent = operations.flatMap(({ values, body }) => [values, ...(body?.types.values() ?? [])]);
  requireOneIntegerType(
    sent.map(({ schema }) => schema),
    follow,
  );
  return { yaml: text, document, basePath, operations, tell };
}

/** Of what is parsed, so that a formatter of YAML changes nothing. */
export function sumOf(document: OpenApiDocument): string {
  return `${hash('sha256', exactJson(document))}\n`;
}

async function generatedSum(file: URL): Promise<string> {
  return await readFile(new URL('generated/openapi.sha256', file), 'utf8').catch(() => '');
}
