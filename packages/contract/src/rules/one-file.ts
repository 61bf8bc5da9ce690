import { locationOf, targetOf } from '../schema/document.ts';
import type { Findings } from '../schema/findings.ts';
import { ContractError } from '../contract-error.ts';
import { objectsIn } from './objects.ts';
import { ONE_FILE } from './vocabulary.ts';

/** @returns a function that tells whether a reference leads only to other references, and back to one of them */
function circles(document: object): (node: object) => boolean {
  const ending = new Set<unknown>();
  return (node) => {
    const passed = new Set<unknown>();
    for (let next: unknown = node; !ending.has(next);) {
      if (passed.has(next)) return true;
      passed.add(next);
      const reference = typeof next === 'object' && next !== null && '$ref' in next ? next.$ref : undefined;
      if (typeof reference !== 'string') break;
      next = targetOf(document, reference);
    }
    for (const each of passed) ending.add(each);
    return false;
  };
}

/** Checks all references, also those in parts that the service only shows, which requireKept does not follow. */
export function requireOneFile(document: object, found: Findings): void {
  const isCircle = circles(document);
  for (const { node, field } of objectsIn(document))
    for (const [name, each] of Object.entries(node)) {
      // The mapping of a discriminator may also have bare names.
      const isReference = name === '$ref' || (field === 'mapping' && /[/#]/.test(String(each)));
      if (isReference && typeof each === 'string' && targetOf(document, each) === undefined) {
        const why = `${name} leads to ${each}, which is not in the document: ${ONE_FILE}`;
        found.add(new ContractError(why, locationOf(node, name)));
      }
      if (isReference && name === '$ref' && isCircle(node))
        found.add(
          new ContractError('$ref leads in a circle: refer to what it shall stand for', locationOf(node, name)),
        );
    }
}
