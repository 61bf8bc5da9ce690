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

/** Each place that a contract declares in a value, by names such as `children[].name`. */
export function positionsIn(position: Position, name = '', seen = new Set<Position>()): Map<string, Position> {
  if (seen.has(position)) return new Map();
  seen.add(position);
  const { names, types } = position;
  const members = [...names].map((each) => [name === '' ? each : `${name}.${each}`, position.member(each)] as const);
  const items = types.size < 7 && types.has('array') ? [[`${name}[]`, position.item(Infinity)] as const] : [];
  const within = [...members, ...items].flatMap(([each, inner]) => [...positionsIn(inner, each, seen)]);
  return new Map([[name, position], ...within]);
}

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
