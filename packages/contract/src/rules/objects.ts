import { isLarge } from '../schema/exact.ts';
import { VOCABULARY } from './vocabulary.ts';

/** Fields whose value is data: in it, nothing is a keyword, and a member `$ref` is no reference. */
const DATA = /^(?:example|value|default|const|enum|x-.*)$/;
/** Fields whose value is a map with keys of its author's choice: a member of an object may be called `default`. */
const MAPS: ReadonlySet<string> = new Set([
  ...['webhooks', 'callbacks', 'links', 'examples', 'pathItems'],
  ...Object.values(VOCABULARY).flatMap((rows) =>
    // A path begins with `/`, and an extension may stand beside it.
    Object.entries(rows).flatMap(([name, { holds }]) => (holds?.in === 'map' && name !== 'paths' ? [name] : [])),
  ),
]);

/** An object or a list of a document that is not data. */
interface FoundObject {
  readonly node: object;
  /** Whether its author has chosen the names of its members. */
  readonly isMap: boolean;
  /** The field that holds it; '' within a map. */
  readonly field: string;
  /** Where it stands; undefined for the root. */
  readonly place: { readonly within: FoundObject; readonly name: string } | undefined;
}

/** A JSON Pointer from the root, such as `#/paths/~1items`. */
export function pointerTo({ place }: FoundObject): string {
  if (place === undefined) return '#';
  return `${pointerTo(place.within)}/${place.name.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}

/**
 * Finds all objects and lists of a tree but those in data, each once, in their order; also in parts that the service only
 * shows, such as callbacks. Without recursion: aliases of YAML may nest beyond the depth of the stack.
 */
export function* objectsIn(root: unknown): Generator<FoundObject> {
  const seen = new Set<object>();
  const pending: FoundObject[] = isLarge(root) ? [{ node: root, isMap: false, field: '', place: undefined }] : [];
  for (let found = pending.pop(); found !== undefined; found = pending.pop()) {
    const { node, isMap, field } = found;
    if (seen.has(node)) continue;
    seen.add(node);
    yield found;
    for (const [name, value] of Object.entries(node).reverse() as [string, unknown][]) {
      const isData = !isMap && (DATA.test(name) || (name === 'examples' && Array.isArray(value)));
      if (!isLarge(value) || isData) continue;
      pending.push({
        node: value,
        // The expressions of a callback are keys of its author's choice too.
        isMap: field === 'callbacks' || (!isMap && MAPS.has(name)),
        field: isMap ? '' : name,
        place: { within: found, name },
      });
    }
  }
}
