import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { ContractError } from '../../src/contract-error.ts';
import { holdersIn, type Tree } from './tree.ts';

export const ADDRESS = /^[a-z][a-z\d+.-]+:/i;
export const NO_NETWORK = 'and adopt never reaches the network: save it beside the document, and refer to the copy';

export function referencesIn(tree: unknown): { readonly node: Tree; readonly reference: string }[] {
  return [...(holdersIn(tree) as Set<Tree>)].flatMap((node) =>
    typeof node['$ref'] === 'string' ? [{ node, reference: node['$ref'] }] : [],
  );
}

/** The end of a message about a reference that leads to no object: the reason and the cure. */
export function whyDangling(reference: string): string {
  if (ADDRESS.test(reference)) return NO_NETWORK;
  if (reference.startsWith('#')) return 'where the document has no object: add it, or refer to another one';
  return 'which is not there, or is not YAML: put the file where the reference leads';
}

/** @throws ContractError */
export function readText(file: string): string {
  try {
    const bytes = readFileSync(file);
    if (isUtf8(bytes)) return new TextDecoder().decode(bytes);
    // Bytes that are not UTF-8 become this character.
    const [before = ''] = bytes.toString('utf8').split('\u{FFFD}', 1);
    throw new ContractError('this is not UTF-8: save the file as UTF-8', `openapi.yaml:${before.split('\n').length}:1`);
  } catch (error) {
    if (error instanceof ContractError) throw error;
    const code = Error.isError(error) && 'code' in error ? error.code : error;
    throw new ContractError(`this cannot be read: ${String(code)}: name a file that you may read`, 'openapi.yaml');
  }
}
