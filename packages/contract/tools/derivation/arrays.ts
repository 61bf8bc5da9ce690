import { exactJson } from '../../src/schema/int64.ts';
import { keywordsThat } from '../../src/schema/applicators.ts';
import { itemAt, placesOf, testedItems } from '../../src/schema/subschemas.ts';
import { MAX_COUNT } from './scalars.ts';
import type { Branch, SchemasAt, Supply } from './schemas.ts';
import { isObject, type JsonValue, type JsonObject, withMember } from './values.ts';

const KEYWORDS = [...keywordsThat(({ to }) => to === 'items'), 'minItems', 'maxItems', 'uniqueItems'];

/** @param isWhole whether to propose more than the smallest array */
export function arrays(branch: Branch, isWhole: boolean, candidates: Supply): JsonValue[] {
  const own = branch.filter((schema) => schema.type === 'array' || KEYWORDS.some((keyword) => keyword in schema));
  if (own.length === 0) return [];
  const prefix = placesOf(own);
  const placeOf = (at: number): SchemasAt => own.map(itemAt(at));
  const behind = placeOf(prefix);
  const sought = own.flatMap(testedItems);
  const matching = [...behind, ...sought];
  const others = [...behind, ...sought.map((not) => ({ not }))];
  const needed = Math.max(0, ...own.map(({ contains, minContains = 1 }) => (contains === undefined ? 0 : minContains)));
  /** An array with `length` items, different if possible; `containing` of them match `contains`. */
  const ofLength = (length: number, containing = needed): readonly JsonValue[] => {
    const size = Math.min(length, MAX_COUNT);
    const first = Array.from({ length: Math.min(prefix, size) }, (_, at) => distinct(placeOf(at), 1, candidates));
    const found = distinct(matching, Math.min(containing, size - first.length), candidates);
    const rest = distinct(others, size - first.length - found.length, candidates);
    return [...first.flat(), ...found, ...rest];
  };
  const least = Math.max(needed, ...own.map(({ minItems = 0 }) => minItems));
  const most = Math.min(...own.map(({ maxItems = Infinity }) => maxItems));
  const minimal = ofLength(least);
  if (!isWhole) return [minimal];
  const base = ofLength(Math.min(most, Math.max(least, prefix + 1)));
  const lengths = own.flatMap(({ minItems = 0, maxItems = 0 }) => [minItems, maxItems]);
  const counts = own.flatMap(({ contains, minContains = 1, maxContains = minContains }) =>
    contains === undefined ? [] : [minContains, maxContains],
  );
  const some = candidates.valid(behind, 12);
  const values = [
    base,
    minimal,
    [],
    ...[...lengths, prefix].flatMap((length) => [length - 1, length, length + 1]).map((length) => ofLength(length)),
    ...counts
      .flatMap((count) => [count - 1, count, count + 1])
      .flatMap((count) => [0, 1].map((more) => ofLength(Math.max(least, prefix + count + more), count))),
    ofLength(Math.min(most, prefix + 6)),
    ...some.flatMap((item, at) =>
      [item, ...some.slice(at + 1, at + 2)].map((other) => [...base.slice(0, prefix), item, other]),
    ),
    [...ofLength(prefix), null],
  ];
  const inItems = Array.from({ length: prefix + 1 }, (_, at) => {
    const around = base.length > at ? base : ofLength(at);
    return candidates.of(placeOf(at)).map((each) => [...around.slice(0, at), each, ...around.slice(at + 1)]);
  });
  return [...values, ...inItems.flat()];
}

/** Returns `count` values that fit the place, different if possible; none if nothing fits. */
function distinct(place: SchemasAt, count: number, candidates: Supply): JsonValue[] {
  if (count <= 0) return [];
  const valid = candidates.valid(place, count);
  const [first] = valid;
  if (first === undefined) return [];
  const found = new Map(valid.map((value) => [exactJson(value), value]));
  for (let at = 0; found.size < count && at < 2 * count; at++) {
    const parts: JsonValue[] = [BigInt(at), `text${at}`];
    const members = isObject(first) ? Object.keys(first) : [];
    const more = [
      ...parts,
      ...members.flatMap((name) => parts.map((part) => withMember(first as JsonObject, name, part))),
    ];
    const value = more.find((each) => candidates.fits(place, each));
    if (value !== undefined) found.set(exactJson(value), value);
  }
  return [...found.values(), ...Array.from({ length: count - found.size }, () => first)];
}
