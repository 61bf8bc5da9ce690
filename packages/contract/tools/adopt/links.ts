import { type FoundObject, objectsIn } from '../../src/rules/objects.ts';
import { resolver, targetOf } from '../../src/schema/document.ts';
import { isNode, safely, type Tree } from './tree.ts';

/** A link, by the map that holds it: a link behind a reference stands in the reply, and among the components. */
export interface HeldLink {
  readonly holder: Tree;
  readonly name: string;
}

/** The links that lead to some operations, but for those in the operations themselves. */
export function linksTo(operations: readonly Tree[], document: Tree): HeldLink[] {
  const resolve = resolver(document);
  const ids = operations.flatMap(({ operationId: id }) => (id === undefined ? [] : [id]));
  const isWithin = ({ node, place }: FoundObject): boolean =>
    operations.includes(node as Tree) || (place !== undefined && isWithin(place.within));
  const leadsThere = (link: unknown) => {
    const { operationId, operationRef } = (isNode(link) ? safely(() => resolve(link)) : undefined) ?? {};
    return operationId === undefined
      ? typeof operationRef === 'string' && operations.includes(targetOf(document, operationRef) as Tree)
      : ids.includes(operationId);
  };
  return [...objectsIn(document)].flatMap((found) => {
    if (!found.isMap || found.field !== 'links' || isWithin(found)) return [];
    const holder = found.node as Tree;
    return Object.keys(holder).flatMap((name) => (leadsThere(holder[name]) ? [{ holder, name }] : []));
  });
}
