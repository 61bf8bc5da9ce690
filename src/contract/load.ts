import { readFile } from 'node:fs/promises';
import { type Contract, patternMessages, readOperations } from './contract.ts';
import { checkReferences, type OpenApiDocument, readOpenApi, type Resolve, resolver } from './document.ts';
import { requireOpenApi, withValidators } from './validator-eov.ts';

/**
 * Reads an OpenAPI document and what its references refer to.
 *
 * @throws ContractError if it is not YAML, not OpenAPI 3.1, or refers to what is not there
 */
export function loadDocument(yaml: string): { readonly document: OpenApiDocument; readonly resolve: Resolve } {
  const document = readOpenApi(yaml);
  requireOpenApi(document);
  const resolve = resolver(document);
  checkReferences(document, resolve);
  return { document, resolve };
}

/**
 * Loads a contract, and compiles what holds requests and replies to it.
 *
 * @param yaml by default the text of openapi.yaml
 * @throws ContractError if the service cannot hold to it
 */
export async function loadContract(yaml?: string): Promise<Contract> {
  const text = yaml ?? (await readFile(new URL('../../openapi.yaml', import.meta.url), 'utf8'));
  const { document, resolve } = loadDocument(text);
  const operations = await withValidators(readOperations(document, resolve), text, patternMessages(document));
  return { yaml: text, document, operations };
}
