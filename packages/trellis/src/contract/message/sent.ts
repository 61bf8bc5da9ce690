import { declaredMembers, declares, evaluating, joined, typesOf } from '../schema/subschemas.ts';
import type { AnySchema, Follow, Schema } from '../schema/document.ts';
import { hasToJson, jsonOf } from '../schema/int64.ts';
import { type Holder, PlainObject } from './json.ts';
import type { Position } from '../schema/positions.ts';

/**
 * What the service sends of the body of a reply. The types cannot see that a row has more members than the reply
 * declares, or that one is undefined: both are left out, before the validator and the writer see the body.
 */
export class Sent {
  private readonly follow: Follow;
  private readonly known = new Map<Schema, Map<string | number, AnySchema>>();
  private readonly combined = new Map<string, Schema>();
  private readonly numbers = new Map<Schema, number>();

  constructor(follow: Follow) {
    this.follow = follow;
  }

  /**
   * A copy without members that are undefined, or that the schema never allows, in which each number is as the contract
   * types it; the value itself if it is so already.
   *
   * @param position undefined: the value holds no number
   * @param at the name of the member, or the index of the item, that the value is
   */
  of(value: unknown, schema: AnySchema, position: Position | undefined, at: string | number = ''): unknown {
    if (typeof value !== 'object' || value === null) return position === undefined ? value : position.typed(value);
    // Or the validator would see another value than the client.
    if (hasToJson(value)) return this.of(jsonOf(value, at), schema, position);
    if (Array.isArray(value)) {
      const items = value.map((each, index) => this.of(each, this.part(schema, index), position?.item(index), index));
      return items.some((each, index) => each !== value[index]) ? items : value;
    }
    // Most replies are whole, and need no copy.
    let kept: Holder | undefined;
    const names = Object.keys(value);
    for (const [index, name] of names.entries()) {
      const member = (value as Holder)[name];
      const part = member !== undefined && this.part(schema, name);
      const sent = part === false ? undefined : this.of(member, part, position?.member(name), name);
      if (member === undefined || sent !== member) kept ??= copyOf(value as Holder, names.slice(0, index));
      if (kept !== undefined && sent !== undefined) kept[name] = sent;
    }
    return kept ?? value;
  }

  /** The schema of a member or an item; false: the schema allows none, whichever of its branches holds. */
  private part(schema: AnySchema, at: string | number): AnySchema {
    if (typeof schema === 'boolean') return schema;
    // Looked up first, for the reason that Position.member gives.
    const parts = this.known.get(schema) ?? this.known.getOrInsertComputed(schema, () => new Map());
    let part = parts.get(at);
    if (part === undefined) {
      part = this.partOf(schema, at);
      // Clients choose the names in an object such as a map, and the length of a list.
      if (parts.size < MAX_KNOWN) parts.set(at, part);
    }
    return part;
  }

  private partOf(schema: Schema, at: string | number): AnySchema {
    const { $ref, allOf = [], anyOf, oneOf, ...own } = schema;
    if (!typesOf(own, this.follow).has(typeof at === 'string' ? 'object' : 'array')) return false;
    const branches = [anyOf, oneOf].filter((each) => each !== undefined);
    return this.combine('allOf', [
      ...(typeof at === 'string' ? this.members(schema, at) : [schema.prefixItems?.[at] ?? schema.items ?? true]),
      ...($ref === undefined ? [] : [this.part(this.follow($ref), at)]),
      ...allOf.map((each) => this.part(each, at)),
      ...branches.map((each) =>
        this.combine(
          'anyOf',
          each.map((branch) => this.part(branch, at)),
        ),
      ),
    ]);
  }

  private members(schema: Schema, name: string): AnySchema[] {
    const isWriteOnly = (each: AnySchema) => joined([each], this.follow).some(({ writeOnly }) => writeOnly);
    const own = declaredMembers(schema, name).map((each) => !isWriteOnly(each) && each);
    const { unevaluatedProperties: others = true } = schema;
    const isEvaluated = evaluating(schema, this.follow).some(
      (each) =>
        each.additionalProperties !== undefined ||
        (each !== schema && each.unevaluatedProperties !== undefined) ||
        declares(each, name),
    );
    return isEvaluated ? own : [...own, others];
  }

  /** The same object for the same schemas, so that what is known of it is found again. */
  private combine(keyword: 'allOf' | 'anyOf', schemas: readonly AnySchema[]): AnySchema {
    const decides = keyword === 'anyOf';
    const flat = schemas.flatMap((each) => this.flat(keyword, each));
    if (flat.includes(decides)) return decides;
    const all = new Set(flat.filter((each) => typeof each === 'object'));
    const [first] = all;
    if (first === undefined) return !decides;
    if (all.size === 1) return first;
    const numbers = Array.from(all, (each) => this.numbers.getOrInsertComputed(each, () => this.numbers.size));
    const key = `${keyword} ${numbers.sort((one, other) => one - other).join()}`;
    return this.combined.getOrInsertComputed(key, () => ({ [keyword]: [...all] }));
  }

  /** Without it, each level of a value whose schemas refer to each other would have schemas of its own. */
  private flat(keyword: 'allOf' | 'anyOf', schema: AnySchema): readonly AnySchema[] {
    if (typeof schema === 'boolean' || Object.keys(schema).length !== 1) return [schema];
    const { $ref, [keyword]: all = $ref === undefined ? undefined : [this.follow($ref)] } = schema;
    return all === undefined ? [schema] : all.flatMap((each) => this.flat(keyword, each));
  }
}

const MAX_KNOWN = 1000;

function copyOf(value: Holder, names: readonly string[]): Holder {
  const copy = new PlainObject();
  for (const name of names) copy[name] = value[name];
  return copy;
}
