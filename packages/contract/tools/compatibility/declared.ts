import type { Contract, ContractOperation } from '../../src/message/operation.ts';
import {
  type DeclaredOperation,
  type Method,
  type OpenApiDocument,
  pathItemsOf,
  resolver,
} from '../../src/schema/document.ts';
import { objectsIn, pointerTo } from '../../src/rules/objects.ts';
import type { Position } from '../../src/schema/positions.ts';

// Differences that no message shows, and that are found in the text of a contract.

/** The operation as written, with the parameters of its path. */
export function declaredIn({ document }: Contract, { path, method }: ContractOperation): DeclaredOperation {
  const [, item] = pathItemsOf(document).find(([each]) => each === path) ?? [];
  const operation = item?.[method.toLowerCase() as Method] ?? {};
  const parameters = [...(item?.parameters ?? []), ...(operation.parameters ?? [])].map(resolver(document));
  return { ...operation, parameters };
}

interface Pair {
  /** Such as `children[].name`; `texts{}` for the members of a map, whose names no schema has. */
  readonly name: string;
  readonly before: Position;
  /** Undefined: the present contract declares no such place. */
  readonly present: Position | undefined;
}

/**
 * Each place that a contract declares in a value, with the same place of the present contract; each pair once.
 *
 * @param areKept whether both hand on the members that no schema names
 */
export function* pairsIn(
  before: Position,
  present: Position | undefined,
  areKept: (before: Position, present: Position) => boolean,
  name = '',
  seen = new Map<Position, Set<Position | undefined>>(),
): Generator<Pair> {
  const others = seen.getOrInsertComputed(before, () => new Set());
  // No value stands where the schema is `false`.
  if (others.has(present) || before.roots.includes(false)) return;
  others.add(present);
  yield { name, before, present };
  for (const each of before.names) {
    const now = present?.names.has(each) === true ? present.member(each) : undefined;
    yield* pairsIn(before.member(each), now, areKept, name === '' ? each : `${name}.${each}`, seen);
  }
  if (present !== undefined && areKept(before, present)) {
    const unnamed = present.unnamed;
    for (const [pattern, place] of before.unnamed) {
      const now = unnamed.get(pattern) ?? unnamed.get('');
      // Where the present contract forbids them, messages show it.
      if (now?.roots.includes(false) === false) yield* pairsIn(place, now, areKept, `${name}{${pattern}}`, seen);
    }
  }
  if (!hasItems(before)) return;
  const now = present && hasItems(present) ? present : undefined;
  const places = Math.max(before.places, now?.places ?? 0);
  for (const at of [...Array(places).keys(), Infinity])
    yield* pairsIn(before.item(at), now?.item(at), areKept, `${name}[${at === Infinity ? '' : at}]`, seen);
}

const hasItems = ({ types }: Position) => types.size < 7 && types.has('array');

/** The JSON Pointers of the parts that a contract declares deprecated. */
export function deprecatedIn(document: OpenApiDocument): ReadonlySet<string> {
  const fields = fieldsNamed('deprecated', document);
  return new Set(fields.flatMap(([at, value]) => (value === true ? [at] : [])));
}

/** Each field of this name in a contract, with the JSON Pointer of the object that has it. */
const fieldsNamed = (name: string, document: OpenApiDocument) =>
  [...objectsIn(document)].flatMap((found) => {
    const node = found.node as Readonly<Record<string, unknown>>;
    return !found.isMap && Object.hasOwn(node, name) ? [[pointerTo(found), node[name]] as const] : [];
  });

/** The meanings of each error number, wherever a schema lists it. */
export function errorNumbersIn(document: OpenApiDocument): ReadonlyMap<string, string> {
  const numbers = fieldsNamed('x-error-numbers', document).flatMap(([, each]) =>
    Object.entries(each as Readonly<Record<string, string>>),
  );
  const meanings = Map.groupBy(numbers, ([number]) => number);
  return new Map(
    Array.from(meanings, ([number, each]) => [number, [...new Set(each.map(([, meaning]) => meaning))].join(' | ')]),
  );
}
