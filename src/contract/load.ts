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
 * @throws ContractError if it is not YAML, not OpenAPI 3.1, or says what is not kept
 */
export function loadDocument(yaml: string | Written): OpenApiDocument {
  const document = readOpenApi(yaml);
  requireOpenApi(document);
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
  const written = parseYaml(yaml ?? (await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8')));
  const document = loadDocument(written);
  const basePath = readBasePath(document);
  const operations = withValidators(readOperations(document), document);
  requireFailures(document, operations, follower(document));
  return { yaml: publishedYaml(written), document, basePath, operations };
}
