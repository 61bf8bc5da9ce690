import { isLarge, isObject } from '../schema/exact.ts';
import { type ObjectKind, VOCABULARY } from './vocabulary.ts';

// The walkers of documents: by the names of fields, wherever they stand, and by the rows of the vocabulary.

/** Fields whose value is data: in it, nothing is a keyword, and a member `$ref` is no reference. */
export const DATA = /^(?:example|value|default|const|enum|x-.*)$/;
/** Fields whose value is a map with keys of its author's choice: a member of an object may be called `default`. */
export const MAPS: ReadonlySet<string> = new Set([
  ...['webhooks', 'callbacks', 'links', 'examples', 'pathItems', 'mapping', 'dependentRequired'],
  ...Object.values(VOCABULARY).flatMap((rows) =>
    // A path begins with `/`, and an extension may stand beside it.
    Object.entries(rows).flatMap(([name, { holds }]) => (holds?.in === 'map' && name !== 'paths' ? [name] : [])),
  ),
]);

/** An object or a list of a document that is not data. */
export interface FoundObject {
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

/** An object that the service reads, with the name of its place. */
export interface KnownObject {
  readonly node: Record<string, unknown>;
  readonly kind: ObjectKind;
  /** The name of the member, or the key, under which the object stands. */
  readonly name: string;
  readonly within: KnownObject | undefined;
}

/** All objects of a document that the service reads, whatever else stands in it. */
export function nodesIn(document: object): KnownObject[] {
  const all: KnownObject[] = [];
  const seen = new Set<unknown>();
  const enter = (node: unknown, kind: ObjectKind, name: string, within?: KnownObject): void => {
    if (!isObject(node) || seen.has(node)) return;
    seen.add(node);
    const found = { node, kind, name, within };
    all.push(found);
    const rows = VOCABULARY[kind];
    for (const [field, member] of Object.entries(node)) {
      const holds = Object.hasOwn(rows, field) ? rows[field]?.holds : undefined;
      if (holds === undefined || !isLarge(member)) continue;
      if (holds.in === undefined) enter(member, holds.kind, field, found);
      else for (const [key, each] of Object.entries(member)) enter(each, holds.kind, key, found);
    }
  };
  enter(document, 'OpenAPI', '');
  return all;
}

/**
 * Copies an object of OpenAPI, and changes each object that one of its fields holds.
 *
 * @param change gets the held object, its kind, the name of the field, and its key in a field that is a list or a map
 */
export function mapParts(
  value: object,
  kind: ObjectKind,
  change: (part: unknown, kind: ObjectKind, at: readonly [name: string, ...key: string[]]) => unknown,
): object {
  const rows = VOCABULARY[kind];
  const members = Object.entries(value).map(([name, member]: [string, unknown]) => {
    const holds = Object.hasOwn(rows, name) ? rows[name]?.holds : undefined;
    if (holds === undefined) return [name, member];
    if (holds.in === undefined || !isLarge(member)) return [name, change(member, holds.kind, [name])];
    const parts = Object.entries(member).map(
      ([key, each]: [string, unknown]) => [key, change(each, holds.kind, [name, key])] as const,
    );
    return [name, Array.isArray(member) ? parts.map(([, each]) => each) : Object.fromEntries(parts)];
  });
  return Object.fromEntries(members) as object;
}
