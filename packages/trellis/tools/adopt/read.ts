import { BaseResolver, bundle, createConfig } from '@redocly/openapi-core';
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { ContractError } from '../../src/contract/errors.ts';
import { locationOf, readTree, targetOf } from '../../src/contract/schema/document.ts';
import { Text } from './text.ts';
import { assign, isNode, type Tree } from './tree.ts';

export interface Source {
  readonly document: Tree;
  readonly text: Text;
}

/** Reads a document, and brings the files that it refers to into it. Their addresses are paths: nothing is fetched. @throws ContractError */
export async function readSource(file: string): Promise<Source> {
  const source = sourceOf(readText(file));
  const isOutside = referencesIn(source.document).some(({ reference }) => !reference.startsWith('#'));
  if (isOutside) assign(source.document, await bundled(file));
  return source;
}

/** @throws ContractError if the text is no document of OpenAPI 3.0 or 3.1 */
export function sourceOf(yaml: string): Source {
  const { tree, ...parsed } = readTree(yaml);
  if (isNode(tree) && /^3\.[01](?:\.\d+)?$/.test(String(tree['openapi'])))
    return { document: tree, text: new Text(parsed, tree, yaml) };
  const place = isNode(tree) ? locationOf(tree) : 'openapi.yaml:1:1';
  const what = isNode(tree) && tree['swagger'] !== undefined ? 'Swagger 2.0' : 'no OpenAPI 3.0 or 3.1';
  throw new ContractError(`${place}: this is ${what}: convert it to OpenAPI 3.0 first`);
}

/** Why references lead nowhere. */
export function danglingIn(document: Tree): ContractError[] {
  return referencesIn(document).flatMap(({ node, reference }) => {
    if (isNode(targetOf(document, reference))) return [];
    const why = ADDRESS.test(reference)
      ? NO_NETWORK
      : reference.startsWith('#')
        ? 'where the document has no object: add it, or refer to another one'
        : 'which is not there, or is not YAML: put the file where the reference leads';
    return [new ContractError(`$ref leads to ${reference}, ${why}`, locationOf(node, '$ref'))];
  });
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    const code = Error.isError(error) && 'code' in error ? error.code : error;
    throw new ContractError(`openapi.yaml cannot be read: ${String(code)}: name a file that you may read`);
  }
}

class FilesOnly extends BaseResolver {
  override async loadExternalRef(reference: string) {
    if (!ADDRESS.test(reference)) return await super.loadExternalRef(reference);
    throw new ContractError(`openapi.yaml: $ref leads to ${reference}, ${NO_NETWORK}`);
  }
}

async function bundled(file: string): Promise<Tree> {
  const config = await createConfig({});
  const { bundle: made } = await bundle({
    ref: resolve(file),
    config,
    externalRefResolver: new FilesOnly(config.resolve),
  });
  // What leads nowhere stays, and is refused at its own line.
  return structuredClone(made.parsed) as Tree;
}

const ADDRESS = /^[a-z][a-z\d+.-]+:/i;
const NO_NETWORK = 'and adopt never reaches the network: save it beside the document, and refer to the copy';
/** Fields whose value is data: a member `$ref` in it is no reference. */
const DATA = /^(?:example|value|default|const|enum|x-.*)$/;

function referencesIn(tree: Tree): { readonly node: Tree; readonly reference: string }[] {
  const found: { readonly node: Tree; readonly reference: string }[] = [];
  const seen = new Set<unknown>();
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const { $ref } = node as Tree;
    if (typeof $ref === 'string') found.push({ node: node as Tree, reference: $ref });
    for (const [name, each] of Object.entries(node)) if (!DATA.test(name)) visit(each);
  };
  visit(tree);
  return found;
}
