import { declaredMembers, declares, evaluating, joined, typesOf } from '../schema/subschemas.ts';
import type { AnySchema, Follow, Schema } from '../schema/document.ts';
import { hasToJson, jsonOf } from '../schema/int64.ts';
import { type Holder, PlainObject } from './json.ts';
import type { Position } from '../schema/positions.ts';

/**
 * @returns a function that makes the body to send. The types cannot see that a returned row has more members than the
 * reply declares, or that one is undefined: both are left out, before the validator and the writer see the body.
 */
export function sentBy(follow: Follow) {
  const known = new Map<Schema, Map<string | number, AnySchema>>();
  const combined = new Map<string, Schema>();
  const numbers = new Map<Schema, number>();
  return sent;

  /**
   * A copy without members that are undefined, or that the schema never allows, in which each number has the type of
   * the contract; the value itself if nothing changes.
   *
   * @param position undefined: the value holds no number
   * @param at the name of the member, or the index of the item, that the value is
   */
  function sent(value: unknown, schema: AnySchema, position: Position | undefined, at: string | number = ''): unknown {
    if (typeof value !== 'object' || value === null) return position === undefined ? value : position.typed(value);
    // The client gets the result of toJSON: the validator must see the same.
    if (hasToJson(value)) return sent(jsonOf(value, at), schema, position);
    if (Array.isArray(value)) {
      const items = value.map((each, index) => sent(each, part(schema, index), position?.item(index), index));
      return items.some((each, index) => each !== value[index]) ? items : value;
    }
    // Most replies need no copy.
    let kept: Holder | undefined;
    const names = Object.keys(value);
    for (const [index, name] of names.entries()) {
      const member = (value as Holder)[name];
      const own = member !== undefined && part(schema, name);
      const whole = own === false ? undefined : sent(member, own, position?.member(name), name);
      if (member === undefined || whole !== member) kept ??= copyOf(value as Holder, names.slice(0, index));
      if (kept !== undefined && whole !== undefined) kept[name] = whole;
    }
    return kept ?? value;
  }

  /** The schema of a member or an item; false: the schema allows none, whichever of its branches holds. */
  function part(schema: AnySchema, at: string | number): AnySchema {
    if (typeof schema === 'boolean') return schema;
    // `get` comes first for the reason that Position.member gives.
    const parts = known.get(schema) ?? known.getOrInsertComputed(schema, () => new Map());
    let found = parts.get(at);
    if (found === undefined) {
      found = partOf(schema, at);
      // Clients choose the names in a map and the length of a list: what is kept needs a bound.
      if (parts.size < MAX_KNOWN) parts.set(at, found);
    }
    return found;
  }

  function partOf(schema: Schema, at: string | number): AnySchema {
    const { $ref, allOf = [], anyOf, oneOf, ...own } = schema;
    if (!typesOf(own, follow).has(typeof at === 'string' ? 'object' : 'array')) return false;
    const branches = [anyOf, oneOf].filter((each) => each !== undefined);
    return combine('allOf', [
      ...(typeof at === 'string' ? members(schema, at) : [schema.prefixItems?.[at] ?? schema.items ?? true]),
      ...($ref === undefined ? [] : [part(follow($ref), at)]),
      ...allOf.map((each) => part(each, at)),
      ...branches.map((each) =>
        combine(
          'anyOf',
          each.map((branch) => part(branch, at)),
        ),
      ),
    ]);
  }

  function members(schema: Schema, name: string): AnySchema[] {
    const isWriteOnly = (each: AnySchema) => joined([each], follow).some(({ writeOnly }) => writeOnly);
    const own = declaredMembers(schema, name).map((each) => !isWriteOnly(each) && each);
    const { unevaluatedProperties: others = true } = schema;
    const isEvaluated = evaluating(schema, follow).some(
      (each) =>
        each.additionalProperties !== undefined ||
        (each !== schema && each.unevaluatedProperties !== undefined) ||
        declares(each, name),
    );
    return isEvaluated ? own : [...own, others];
  }

  /** Returns the same object for the same schemas, so that `known` finds the parts of the object again. */
  function combine(keyword: 'allOf' | 'anyOf', schemas: readonly AnySchema[]): AnySchema {
    const decides = keyword === 'anyOf';
    const flat = schemas.flatMap((each) => flattened(keyword, each));
    if (flat.includes(decides)) return decides;
    const all = new Set(flat.filter((each) => typeof each === 'object'));
    const [first] = all;
    if (first === undefined) return !decides;
    if (all.size === 1) return first;
    const own = Array.from(all, (each) => numbers.getOrInsertComputed(each, () => numbers.size));
    const key = `${keyword} ${own.sort((one, other) => one - other).join()}`;
    return combined.getOrInsertComputed(key, () => ({ [keyword]: [...all] }));
  }

  /** Without this step, each level of a value whose schemas refer to each other would have new schemas. */
  function flattened(keyword: 'allOf' | 'anyOf', schema: AnySchema): readonly AnySchema[] {
    if (typeof schema === 'boolean' || Object.keys(schema).length !== 1) return [schema];
    const { $ref, [keyword]: all = $ref === undefined ? undefined : [follow($ref)] } = schema;
    return all === undefined ? [schema] : all.flatMap((each) => flattened(keyword, each));
  }
}

const MAX_KNOWN = 1000;

function copyOf(value: Holder, names: readonly string[]): Holder {
  const copy = new PlainObject();
  for (const name of names) copy[name] = value[name];
  return copy;
}
