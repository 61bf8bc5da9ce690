import { begin, budget, end, lengthen, spend, workFor } from '../schema/budget.ts';
import {
  declaredMembers,
  declares,
  evaluating,
  itemAt,
  joined,
  keyOf,
  type PartsOfValue,
  partsOf,
  typesOf,
} from '../schema/subschemas.ts';
import type { AnySchema, Follow, Schema } from '../schema/document.ts';
import { hasToJson } from '../schema/int64.ts';
import type { Position } from '../schema/positions.ts';
import { MAX_REPLY_BYTES } from '../rules/body-limit.ts';
import type { Holder } from './json.ts';
import type { OutlineAt } from './undeclared.ts';

/** A body to send, and the work that its verdict may take. */
export interface Sent {
  readonly body: unknown;
  readonly work: number;
}

/** The work to find what describes a part of a value, for each schema of the value. */
const FINDING = 35;
/** The schemas of all values whose parts are kept: some 10 MB. */
const MAX_KEPT = 50_000;

/** What is known of a schema: the parts that it tells apart, and the schema of each that a value had. */
interface KnownParts extends PartsOfValue {
  readonly declared: Map<string | number, AnySchema>;
  readonly others: Map<string, AnySchema>;
  /** What it takes to find one more of them, where the contract does not bound their number. */
  readonly size: number;
}

/**
 * @returns a function that makes the body to send. The types cannot see that a returned row has more members than the
 * reply declares, or that one is undefined: both are left out, before the validator and the writer see the body.
 */
export function sentBy(follow: Follow) {
  // Schemas that lead to one another have more combinations than any memory holds, and the values of clients choose among
  // them: a new one spends from the budget of its reply, and all are forgotten when they are too many.
  let known = new Map<Schema, KnownParts>();
  let combined = new Map<string, Schema>();
  let numbers = new Map<Schema, number>();
  const made = new WeakSet<Schema>();
  let kept = 0;
  /** About the length of the body so far, as JSON. */
  let length = 0;

  return (body: unknown, schema: AnySchema, position: Position | undefined, outline?: OutlineAt): Sent => {
    length = 0;
    begin(workFor(0));
    try {
      return { body: sent(body, schema, position, outline, ''), work: budget.left };
    } finally {
      end();
    }
  };

  /**
   * A copy of plain objects and lists, so that what the validator judges is what is written: an operation may return getters
   * and Proxies. It has no members that are undefined, that the schema never allows, or that no schema names where that leaves
   * them out; each number has the type of the contract.
   *
   * @param position undefined: the value holds no number
   * @param outline undefined: no members of the value are left out because no schema names them
   * @param at the name of the member, or the index of the item, that the value is
   */
  function sent(
    given: unknown,
    schema: AnySchema,
    position: Position | undefined,
    outline: OutlineAt,
    at: string | number,
  ): unknown {
    const value = typeof given === 'object' && given !== null && hasToJson(given) ? given.toJSON(String(at)) : given;
    if (typeof value === 'string') return counted(value, value.length + 2);
    // JSON has neither.
    if (typeof value === 'function' || typeof value === 'symbol') return undefined;
    if (typeof value !== 'object' || value === null)
      return counted(position === undefined ? value : position.typed(value), 1);
    if (Array.isArray(value)) return items(value, schema, position, outline);
    // JSON.stringify takes twice as long for objects without a prototype.
    const copy: Holder = {};
    for (const name of Object.keys(counted(value, 2))) {
      const own = outline?.keeps(name) === false ? false : part(schema, name);
      const member = own === false ? undefined : (value as Holder)[name];
      const within = typeof member === 'object' ? outline?.member(name) : undefined;
      const whole = member === undefined ? undefined : sent(member, own, position?.member(name), within, name);
      if (whole === undefined) continue;
      counted(whole, name.length + 4);
      // An assignment would set the prototype.
      if (name === '__proto__') Object.defineProperty(copy, name, { value: whole, enumerable: true, writable: true });
      else copy[name] = whole;
    }
    return copy;
  }

  function items(
    list: readonly unknown[],
    schema: AnySchema,
    position: Position | undefined,
    outline: OutlineAt,
  ): unknown[] {
    const count = list.length;
    // An array with a length alone has no items, and would take seconds. That of a Proxy may be no number.
    if (!(count <= MAX_REPLY_BYTES / 2)) throw tooLong();
    const copy = [];
    counted(undefined, 2 + count);
    for (let index = 0; index < count; index++)
      copy.push(sent(list[index], part(schema, index), position?.item(index), outline?.item(index), index));
    return copy;
  }

  function counted<T>(value: T, bytes: number): T {
    length += bytes;
    if (length > MAX_REPLY_BYTES) throw tooLong();
    lengthen(bytes);
    return value;
  }

  /** The schema of a member or an item; false: the schema allows none, whichever of its branches holds. */
  function part(schema: AnySchema, at: string | number): AnySchema {
    if (typeof schema === 'boolean') return schema;
    const where = known.get(schema) ?? knownOf(schema);
    // `get` comes first for the reason that Position.member gives.
    return where.declared.get(at) ?? find(where, schema, at);
  }

  function find(
    { names, patterns, places, declared, others, size }: KnownParts,
    schema: Schema,
    at: string | number,
  ): AnySchema {
    const isOther = typeof at === 'string' && !names.has(at);
    const key = isOther
      ? keyOf(patterns.filter((each) => each.test(at)))
      : typeof at === 'number'
        ? Math.min(at, places)
        : at;
    const parts: Map<string | number, AnySchema> = isOther ? others : declared;
    let found = parts.get(key);
    if (found === undefined) {
      keep(size);
      found = partOf(schema, at);
      parts.set(key, found);
    }
    return found;
  }

  function knownOf(schema: Schema): KnownParts {
    const schemas = evaluating(schema, follow);
    const parts = partsOf(schemas);
    const size = made.has(schema) || parts.patterns.length > 0 ? schemas.length : 0;
    keep(size);
    const found = { ...parts, declared: new Map(), others: new Map(), size };
    known.set(schema, found);
    return found;
  }

  /** @throws Overspent */
  function keep(count: number): void {
    spend(FINDING * count);
    kept += count;
    if (kept > MAX_KEPT) {
      known = new Map();
      combined = new Map();
      numbers = new Map();
      kept = 0;
    }
  }

  function partOf(schema: Schema, at: string | number): AnySchema {
    const { $ref, allOf = [], anyOf, oneOf, ...own } = schema;
    if (!typesOf(own, follow).has(typeof at === 'string' ? 'object' : 'array')) return false;
    const branches = [anyOf, oneOf].filter((each) => each !== undefined);
    return combine('allOf', [
      ...(typeof at === 'string' ? members(schema, at) : [itemAt(at)(schema)]),
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
    spend(flat.length);
    if (flat.includes(decides)) return decides;
    const all = new Set(flat.filter((each) => typeof each === 'object'));
    const [first] = all;
    if (first === undefined) return !decides;
    if (all.size === 1) return first;
    const own = Array.from(all, (each) => numbers.getOrInsertComputed(each, () => numbers.size));
    const key = `${keyword} ${own.sort((one, other) => one - other).join()}`;
    budget.at = first;
    return combined.getOrInsertComputed(key, () => {
      const schema = { [keyword]: [...all] };
      made.add(schema);
      return schema;
    });
  }

  /** Without this step, each level of a value whose schemas refer to each other would have new schemas. */
  function flattened(keyword: 'allOf' | 'anyOf', schema: AnySchema): readonly AnySchema[] {
    if (typeof schema === 'boolean' || Object.keys(schema).length !== 1) return [schema];
    const { $ref, [keyword]: all = $ref === undefined ? undefined : [follow($ref)] } = schema;
    return all === undefined ? [schema] : all.flatMap((each) => flattened(keyword, each));
  }
}

const senders = new WeakMap<Follow, ReturnType<typeof sentBy>>();

/** All replies of a contract share what is known of its schemas, and so the bound of it. */
export function senderOf(follow: Follow): ReturnType<typeof sentBy> {
  const sender = senders.get(follow) ?? sentBy(follow);
  senders.set(follow, sender);
  return sender;
}

export function tooLong(): Error {
  return new Error(`a reply may have ${MAX_REPLY_BYTES} bytes, and this one has more: send pages`);
}
