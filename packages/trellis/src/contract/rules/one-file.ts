import { locationOf, type OpenApiDocument, targetOf } from '../schema/document.ts';
import type { Findings } from '../schema/findings.ts';
import { ContractError } from '../errors.ts';
import { ONE_FILE, VOCABULARY } from './vocabulary.ts';

/** Fields whose value is data: a member `$ref` in it is no reference. */
const DATA = ['example', 'value', 'default', 'const', 'enum'];
/** Fields whose value has names of its author's choice as its members. */
const MAPS: ReadonlySet<string> = new Set([
  ...['webhooks', 'callbacks', 'links', 'examples', 'pathItems'],
  ...Object.values(VOCABULARY).flatMap((rows) =>
    Object.entries(rows).flatMap(([name, { holds }]) => (holds?.in === 'map' ? [name] : [])),
  ),
]);

/** requireKept follows the references of what the service keeps; these may also stand in what it only shows. */
export function requireOneFile(document: OpenApiDocument, found: Findings): void {
  const seen = new Set<object>();
  const visit = (node: unknown, isMap: boolean): void => {
    if (typeof node !== 'object' || node === null || seen.has(node)) return;
    seen.add(node);
    const { $ref } = node as { readonly $ref?: unknown };
    if (!isMap && typeof $ref === 'string' && targetOf(document, $ref) === undefined)
      found.add(
        new ContractError(`$ref leads to ${$ref}, which is not in the document: ${ONE_FILE}`, locationOf(node, '$ref')),
      );
    for (const [name, each] of Object.entries(node)) {
      const isData = DATA.includes(name) || name.startsWith('x-') || (name === 'examples' && Array.isArray(each));
      if (isMap || !isData) visit(each, !isMap && MAPS.has(name));
    }
  };
  visit(document, false);
}
