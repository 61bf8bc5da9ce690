import type { Contract } from '../src/message/operation.ts';
import { type AnySchema, type Follow, follower, locationOf } from '../src/schema/document.ts';
import { exactChecks } from '../src/schema/exact.ts';
import { forbids } from '../src/rules/declared.ts';
import { itemAt, joined, listed, membersOf, placesOf } from '../src/schema/subschemas.ts';
import type { Keywords } from './derivation/schemas.ts';
import { fromDocument, type JsonValue } from './derivation/values.ts';

/** A keyword, and the schema in which it stands. */
type SchemaKeyword = readonly [schema: Keywords, keyword: keyof Keywords];
/** Two keywords that no value satisfies together. */
type Contradiction = readonly [one: SchemaKeyword, other: SchemaKeyword];

/** A place of a value, with all schemas that apply there. */
interface ValuePlace {
  readonly roots: readonly AnySchema[];
  readonly all: readonly Keywords[];
  /** For each type of the value: the two keywords that exclude it, or the places that need a value if it has that type. */
  ways: readonly { readonly kept?: Contradiction | undefined; readonly needs: readonly ValuePlace[] }[];
  /** For each `anyOf` and `oneOf`, this place narrowed by each branch. */
  choices: readonly (readonly ValuePlace[])[];
  /** The places within it, also those that a value need not have, and each branch by itself. */
  parts: readonly ValuePlace[];
}

/** Ten `oneOf` of two branches at one place make 1,024 combinations. Beyond this number, places count as possible. */
const MAX_PLACES = 5000;
const TYPES = ['null', 'boolean', 'object', 'array', 'string', 'number'] as const;
const BOUNDS: Readonly<Record<string, readonly (readonly [least: keyof Keywords, most: keyof Keywords])[]>> = {
  number: [
    ['minimum', 'maximum'],
    ['exclusiveMinimum', 'maximum'],
    ['minimum', 'exclusiveMaximum'],
    ['exclusiveMinimum', 'exclusiveMaximum'],
  ],
  string: [['minLength', 'maxLength']],
  array: [['minItems', 'maxItems']],
  object: [['minProperties', 'maxProperties']],
};

/** @returns a warning for each two keywords that leave no value for a message, or for a part of one */
export function contradictions({ document, operations }: Contract): string[] {
  const messages = operations.flatMap(({ id, body, values, replies }) => [
    ...Array.from(body?.types.values() ?? [], ({ schema }) => ({ schema, so: `no body of ${id} is valid` })),
    { schema: values.schema, so: `no request of ${id} is valid` },
    ...Array.from(replies, ([status, { content }]) => ({
      schema: content?.schema ?? true,
      so: `no reply ${status} of ${id} is valid`,
    })),
  ]);
  const survey = new Survey(follower(document));
  const roots = messages.map(({ schema, so }) => ({ so, place: survey.at([schema]) }));
  const possible = survey.possible();
  const places = new Set(roots.map(({ place }) => place));
  // The iteration of a Set includes what is added meanwhile.
  for (const { parts } of places) for (const each of parts) places.add(each);
  const found = new Map<string, string[]>();
  const tell = (place: ValuePlace, ...so: readonly string[]) => {
    const told = possible.has(place) ? undefined : explained(place, possible);
    if (told !== undefined) found.getOrInsertComputed(told, () => []).push(...so);
  };
  for (const place of places) tell(place);
  for (const { place, so } of roots) tell(place, so);
  return Array.from(found, ([told, so]) => [told, ...new Set(so)].join('; '));
}

class Survey {
  private readonly known = new Map<string, ValuePlace>();
  private readonly ids = new Map<AnySchema, number>();
  private readonly follow: Follow;
  private readonly any: ValuePlace;

  constructor(follow: Follow) {
    this.follow = follow;
    this.any = this.at([]);
  }

  /** All values to which the same schemas apply have one place. */
  at(schemas: readonly AnySchema[]): ValuePlace {
    const roots = [...new Set(schemas)].filter((each) => each !== true);
    const ids = roots.map((each) => this.ids.getOrInsertComputed(each, () => this.ids.size));
    const key = ids.sort((one, other) => one - other).join();
    if (this.known.size > MAX_PLACES && !this.known.has(key)) return this.any;
    return this.known.getOrInsertComputed(key, () => ({
      roots,
      all: joined(roots, this.follow),
      ...{ ways: [], choices: [], parts: [] },
    }));
  }

  /** The places that can have a value: those whose needs can, from the smallest values on. */
  possible(): ReadonlySet<ValuePlace> {
    // The iteration of a Map includes what is added meanwhile.
    for (const place of this.known.values()) if (!place.roots.includes(false)) this.complete(place);
    const possible = new Set<ValuePlace>();
    const has = (place: ValuePlace) => possible.has(place);
    for (let before = -1; possible.size > before;) {
      before = possible.size;
      for (const place of this.known.values()) {
        const hasWay = place.ways.some(({ kept, needs }) => kept === undefined && needs.every(has));
        if (hasWay && place.choices.every((branches) => branches.some(has))) possible.add(place);
      }
    }
    return possible;
  }

  private complete(place: ValuePlace): void {
    const { roots, all } = place;
    const alternatives = all.flatMap(({ anyOf, oneOf }) => [anyOf, oneOf].filter((each) => each !== undefined));
    // A branch that has narrowed this place already is one of its roots.
    const open = alternatives.filter((branches) => !branches.some((each) => each === true || roots.includes(each)));
    const names = new Set(all.flatMap(({ properties = {} }) => Object.keys(properties)));
    place.ways = this.waysOf(all);
    place.choices = open.map((branches) => branches.map((each) => this.at([...roots, each])));
    place.parts = [
      ...[...names, undefined].map((name) => this.at(membersOf(all, name))),
      ...this.itemsOf(all, Infinity),
      ...alternatives.flat().map((each) => this.at([each])),
    ];
  }

  private waysOf(all: readonly Keywords[]): ValuePlace['ways'] {
    const list = all.find((each) => listed(each) !== undefined);
    if (list !== undefined) {
      const refusals = (listed(list) ?? []).map((value) => refusalOf(fromDocument(value), all));
      const own: SchemaKeyword = [list, list.enum === undefined ? 'const' : 'enum'];
      return refusals.map((other) => ({ kept: other && [own, other], needs: [] }));
    }
    const types = TYPES.filter((type) => all.every((each) => allows(each, type)));
    if (types.length === 0) return [{ kept: disjoint(all), needs: [] }];
    return types.map((type) => ({
      kept: crossed(all, BOUNDS[type] ?? []) ?? (type === 'object' ? this.forbidden(all) : undefined),
      needs: type === 'object' ? this.required(all) : type === 'array' ? this.itemsOf(all, leastItems(all)) : [],
    }));
  }

  /** A message leaves out the members that are marked for the other direction. */
  private required(all: readonly Keywords[]): ValuePlace[] {
    const names = new Set(all.flatMap(({ required = [] }) => required));
    const places = Array.from(names, (name) => this.at(membersOf(all, name)));
    return places.filter(
      (place) => !place.all.some(({ readOnly, writeOnly }) => readOnly === true || writeOnly === true),
    );
  }

  private forbidden(all: readonly Keywords[]): Contradiction | undefined {
    for (const one of all)
      for (const name of one.required ?? []) {
        const closed = all.find((each) => forbids(each, name, this.follow));
        const keyword = closed?.additionalProperties === false ? 'additionalProperties' : 'unevaluatedProperties';
        if (closed !== undefined)
          return [
            [one, 'required'],
            [closed, keyword],
          ];
        const barring = all.find(
          ({ properties = {} }) => Object.hasOwn(properties, name) && properties[name] === false,
        );
        if (barring !== undefined)
          return [
            [one, 'required'],
            [barring, 'properties'],
          ];
      }
    return undefined;
  }

  private itemsOf(all: readonly Keywords[], least: number): ValuePlace[] {
    const length = Math.min(least, placesOf(all) + 1);
    return Array.from({ length }, (_, index) => this.at(all.map(itemAt(index))));
  }
}

function leastItems(all: readonly Keywords[]): number {
  return Math.max(0, ...all.map(({ minItems = 0 }) => minItems));
}

function allows({ type }: Keywords, name: string): boolean {
  const types = type === undefined ? [name] : [type].flat();
  return types.includes(name) || (name === 'number' && types.includes('integer'));
}

/** Two schemas without a common type; the last two, if only more of them together have none. */
function disjoint(all: readonly Keywords[]): Contradiction {
  const typed = all.filter(({ type }) => type !== undefined);
  const pairs = typed.flatMap((one) => typed.map((other) => [one, other] as const));
  const pair = pairs.find((two) => !TYPES.some((type) => two.every((each) => allows(each, type))));
  const [one = {}, other = {}] = pair ?? typed.slice(-2);
  return [
    [one, 'type'],
    [other, 'type'],
  ];
}

function crossed(
  all: readonly Keywords[],
  bounds: readonly (readonly [least: keyof Keywords, most: keyof Keywords])[],
): Contradiction | undefined {
  for (const [least, most] of bounds)
    for (const one of all)
      for (const other of all) {
        const [from, to] = [one[least], other[most]] as readonly (number | bigint | undefined)[];
        if (from === undefined || to === undefined) continue;
        const isOpen = least.startsWith('exclusive') || most.startsWith('exclusive');
        if (from > to || (isOpen && !(from < to)))
          return [
            [one, least],
            [other, most],
          ];
      }
  return undefined;
}

/** The first keyword by which a schema refuses a value that another one lists. */
function refusalOf(value: JsonValue, all: readonly Keywords[]): SchemaKeyword | undefined {
  for (const schema of all) {
    const check = exactChecks(schema).find(
      ({ isValid }) => typeof isValid === 'function' && !isValid(value, () => true),
    );
    if (check !== undefined) return [schema, check.keyword];
    if (typeof value !== 'string') continue;
    const { length } = Array.from(value);
    if (length < (schema.minLength ?? 0)) return [schema, 'minLength'];
    if (length > (schema.maxLength ?? Infinity)) return [schema, 'maxLength'];
    if (schema.pattern !== undefined && !new RegExp(schema.pattern, 'u').test(value)) return [schema, 'pattern'];
  }
  return undefined;
}

/** @returns undefined for the schema `false` and for an empty `enum`, which say openly that no value is valid */
function explained(place: ValuePlace, possible: ReadonlySet<ValuePlace>): string | undefined {
  const within = new Set<ValuePlace>();
  let at: ValuePlace | undefined = place;
  while (at !== undefined) {
    const kept: Contradiction | undefined = at.ways.find((each) => each.kept !== undefined)?.kept;
    if (kept !== undefined) return inWords(kept);
    if (within.has(at)) {
      const owner: Keywords = at.all.find(({ required, minItems }) => (required ?? minItems) !== undefined) ?? {};
      const keyword = owner.required === undefined ? 'minItems' : 'required';
      return `${locationOf(owner, keyword)}: ${keyword} demands that this value contains itself without an end: no value does`;
    }
    within.add(at);
    const barred: readonly (readonly ValuePlace[])[] = [
      ...at.choices.filter((branches) => !branches.some((each) => possible.has(each))),
      ...at.ways.map(({ needs }) => needs),
    ];
    at = barred.flat().find((each) => !possible.has(each));
  }
  return undefined;
}

function inWords([[one, keyword], [other, otherKeyword]]: Contradiction): string {
  const joins = one === other ? '' : ', which allOf, a branch or $ref joins to it';
  return (
    `${locationOf(one, keyword)}: ${keyword} contradicts ${otherKeyword} at ${locationOf(other, otherKeyword)}` +
    `${joins}: no value satisfies both: change one of them`
  );
}
