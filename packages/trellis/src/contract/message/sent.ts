import { declaredMembers, declares, evaluating, joined, typesOf } from '../schema/subschemas.ts';
import type { AnySchema, Follow, Schema } from '../schema/document.ts';
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
   */
  of(value: unknown, schema: AnySchema, position: Position | undefined): unknown {
    if (typeof value !== 'object' || value === null) return position === undefined ? value : position.typed(value);
    // Or the validator would see another value than the client.
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return this.of((value as { toJSON: () => unknown }).toJSON(), schema, position);
    if (Array.isArray(value)) {
      const items = value.map((each, index) => this.of(each, this.part(schema, index), position?.item(index)));
      return items.some((each, index) => each !== value[index]) ? items : value;
    }
    // Most replies are whole, and need no copy.
    let kept: Holder | undefined;
    const names = Object.keys(value);
    for (const [at, name] of names.entries()) {
      const member = (value as Holder)[name];
      const part = member !== undefined && this.part(schema, name);
      const sent = part === false ? undefined : this.of(member, part, position?.member(name));
      if (member === undefined || sent !== member) kept ??= copyOf(value as Holder, names.slice(0, at));
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

  private partOf(schema: AnySchema, at: string | number): AnySchema {
    if (typeof schema === 'boolean') return schema;
    if (!typesOf(schema, this.follow).has(typeof at === 'string' ? 'object' : 'array')) return false;
    const { $ref, allOf = [], anyOf, oneOf } = schema;
    const branches = [anyOf, oneOf].filter((each) => each !== undefined);
    return this.combine('allOf', [
      ...(typeof at === 'string' ? this.members(schema, at) : [schema.prefixItems?.[at] ?? schema.items ?? true]),
      ...($ref === undefined ? [] : [this.partOf(this.follow($ref), at)]),
      ...allOf.map((each) => this.partOf(each, at)),
      ...branches.map((each) =>
        this.combine(
          'anyOf',
          each.map((branch) => this.partOf(branch, at)),
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
    if (schemas.includes(decides)) return decides;
    const [first, ...others] = new Set(schemas.filter((each) => typeof each === 'object'));
    if (first === undefined) return !decides;
    if (others.length === 0) return first;
    const all = [first, ...others];
    const numbers = all.map((each) => this.numbers.getOrInsertComputed(each, () => this.numbers.size));
    return this.combined.getOrInsertComputed(`${keyword} ${numbers.join()}`, () => ({ [keyword]: all }));
  }
}

const MAX_KNOWN = 1000;

function copyOf(value: Holder, names: readonly string[]): Holder {
  const copy = new PlainObject();
  for (const name of names) copy[name] = value[name];
  return copy;
}
