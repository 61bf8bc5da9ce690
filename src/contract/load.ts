import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { readBasePath } from './addresses.ts';
import { type Contract, readOperations } from './contract.ts';
import { follower, type OpenApiDocument, readOpenApi } from './document.ts';
import { requireFailures } from './failures.ts';
import { requireOpenApi, withValidators } from './validator-eov.ts';
import { requireKept } from './vocabulary.ts';
import { parseYaml, publishedYaml, type Written } from './yaml.ts';

/**
 * Reads an OpenAPI document of which each field is one that the service keeps.
 *
 * @param isOpenApi whether it was held to the schema of OpenAPI before
 * @throws ContractError if it is not YAML, not OpenAPI 3.1, or says what is not kept
 */
export function loadDocument(yaml: string | Written, isOpenApi = false): OpenApiDocument {
  const document = readOpenApi(yaml);
  if (!isOpenApi) requireOpenApi(document);
  requireKept(document);
  return document;
}

/**
 * Loads a contract, and compiles what holds requests and replies to it.
 *
 * @param yaml by default the text of openapi.yaml
 * @throws ContractError if the service cannot hold to it
 */
export async function loadContract(yaml?: string): Promise<Contract> {
  const text = yaml ?? (await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
  const written = parseYaml(text);
  const document = loadDocument(written, yaml === undefined && (await isGeneratedFrom(text)));
  const basePath = readBasePath(document);
  const operations = withValidators(readOperations(document), document);
  requireFailures(document, operations, follower(document));
  return { yaml: publishedYaml(written), document, basePath, operations };
}

/** As `sha256sum` writes it. */
export function sumOf(yaml: string): string {
  return `${hash('sha256', yaml)}  openapi.yaml\n`;
}

/** Whether `npm run generate` has held this document to the schema of OpenAPI, which takes a sixth of a start. */
async function isGeneratedFrom(yaml: string): Promise<boolean> {
  const sum = await readFile(new URL('../../generated/openapi.sha256', import.meta.url), 'utf8').catch(() => '');
  return sum === sumOf(yaml);
}
