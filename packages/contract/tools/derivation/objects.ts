import { keywordsThat } from '../../src/schema/applicators.ts';
import { membersOf } from '../../src/schema/subschemas.ts';
import { MAX_COUNT } from './scalars.ts';
import type { Branch, SchemasAt, Supply } from './schemas.ts';
import { type JsonValue, type JsonObject, withMember, withoutMember } from './values.ts';

const KEYWORDS = [
  ...keywordsThat(({ to }) => /member|names/.test(to)),
  ...['required', 'minProperties', 'maxProperties', 'dependentRequired', 'dependentSchemas'],
];
/** Names with a meaning in JavaScript or JSON Schema. */
const UNUSUAL = ['__proto__', 'constructor', 'toString', '', '$ref'];

/** @param isWhole whether to propose more than the smallest object */
export function objects(branch: Branch, isWhole: boolean, candidates: Supply): JsonValue[] {
  const own = branch.filter((schema) => schema.type === 'object' || KEYWORDS.some((keyword) => keyword in schema));
  if (own.length === 0) return [];
  const places = new Map<string, SchemasAt>();
  const placeOf = (name: string) => places.getOrInsertComputed(name, () => membersOf(branch, name));
  const withDependents = (names: readonly string[]) => {
    const all = new Set(names);
    // The loop also visits the names that it adds to the set.
    for (const name of all)
      for (const { dependentRequired = {} } of own)
        if (Object.hasOwn(dependentRequired, name)) dependentRequired[name]?.forEach((each) => all.add(each));
    return [...all];
  };
  /** Adds valid members with these names, and the members that they require, up to `size`. */
  const grown = (object: JsonObject, names: readonly string[], size = Infinity) => {
    const members = new Map(Object.entries(object));
    for (const name of withDependents(names)) {
      if (members.size >= size) break;
      const [first] = members.has(name) ? [] : candidates.valid(placeOf(name), 1);
      if (first !== undefined) members.set(name, first);
    }
    return Object.fromEntries(members);
  };
  const named = own.flatMap(({ properties, dependentRequired, dependentSchemas }) => [
    ...[properties ?? {}, dependentRequired ?? {}, dependentSchemas ?? {}],
  ]);
  const declared = [...new Set(named.flatMap((each) => Object.keys(each)))];
  const patterns = own.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties));
  const matching = patterns.flatMap((pattern) => candidates.valid([{ type: 'string', pattern }], 2) as string[]);
  const free = [...matching, 'member'];
  const sized = (size: number) => {
    const more = Array.from({ length: Math.min(size, MAX_COUNT) }, (_, at) => `member${at}`);
    return grown(grown({}, required), [...declared, ...free, ...more], size);
  };
  const required = own.flatMap((each) => each.required ?? []);
  const minimal = sized(Math.max(0, ...own.map(({ minProperties = 0 }) => minProperties)));
  if (!isWhole) return [minimal];
  const full = grown(minimal, declared, Math.min(...own.map(({ maxProperties = Infinity }) => maxProperties)));
  const allowed = own.flatMap(({ propertyNames }) =>
    propertyNames === undefined ? [] : candidates.of([propertyNames]),
  );
  const others = allowed.filter((name) => typeof name === 'string');
  const limits = own.flatMap(({ minProperties = 0, maxProperties = 0 }) => [minProperties, maxProperties]);
  const values: JsonValue[] = [
    minimal,
    full,
    ...[minimal, full].flatMap((value) => Object.keys(value).map((name) => withoutMember(value, name))),
    ...declared.map((name) => grown(minimal, [name])),
    ...limits
      .flatMap((size) => [size - 1, size, size + 1])
      .filter((size) => size > 1)
      .map(sized),
    // A forbidden member gets any value.
    ...[...declared, ...free, ...others, ...UNUSUAL, ...declared.map((name) => name.toUpperCase())].flatMap((name) => {
      const member = candidates.valid(placeOf(name), 1)[0] ?? 'text';
      return [minimal, full].map((value) => withMember(value, name, member));
    }),
  ];
  const inMembers = [...declared, ...free].flatMap((name) => {
    const around = grown(minimal, [name]);
    return candidates.of(placeOf(name)).map((each) => withMember(around, name, each));
  });
  return [...values, ...inMembers];
}
