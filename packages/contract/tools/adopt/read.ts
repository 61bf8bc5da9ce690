import { ContractError } from '../../src/contract-error.ts';
import { locationOf, readTree, targetOf, writtenAs } from '../../src/schema/document.ts';
import { readText, referencesIn, whyDangling } from './references.ts';
import { Text } from './text.ts';
import { assign, isNode, memberOf, type Tree } from './tree.ts';

export interface Source {
  readonly document: Tree;
  readonly text: Text;
}

/**
 * Reads a document, and brings the files that it refers to into it. Their addresses are paths: nothing is fetched.
 *
 * @throws ContractError
 */
export async function readSource(file: string): Promise<Source> {
  const source = sourceOf(readText(file));
  const outside = referencesIn(source.document).find(({ reference }) => !reference.startsWith('#'));
  if (outside === undefined) return source;
  const { bundled } = await import('./bundle.ts');
  assign(source.document, await bundled(file, source.document, outside.node));
  return source;
}

/** @throws ContractError if the text is no document of OpenAPI 3.0 or 3.1 */
export function sourceOf(yaml: string): Source {
  const { tree, ...parsed } = readTree(yaml);
  const version = writtenAs(tree, 'openapi');
  if (isNode(tree) && /^3\.[01](?:\.\d+)?$/.test(version)) {
    const text = new Text(parsed, tree, yaml);
    tree['openapi'] = version;
    return { document: tree, text };
  }
  const place = isNode(tree) ? locationOf(tree) : 'openapi.yaml:1:1';
  const what = isNode(tree) && tree['swagger'] !== undefined ? 'Swagger 2.0' : 'no OpenAPI 3.0 or 3.1';
  throw new ContractError(`${place}: this is ${what}: convert it to OpenAPI 3.0 first`);
}

/** The refusals of references that lead nowhere, except those of security schemes, about which the author decides. */
export function danglingIn(document: Tree): ContractError[] {
  const schemes = Object.values(memberOf(memberOf(document, 'components'), 'securitySchemes') ?? {});
  return referencesIn(document).flatMap(({ node, reference }) => {
    if (schemes.includes(node) || isNode(targetOf(document, reference))) return [];
    return [new ContractError(`$ref leads to ${reference}, ${whyDangling(reference)}`, locationOf(node, '$ref'))];
  });
}
