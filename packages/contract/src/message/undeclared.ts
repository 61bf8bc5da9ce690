import { timePerCharacter } from '../rules/patterns.ts';
import { spend } from '../schema/budget.ts';
import type { AnySchema, Follow, Schema } from '../schema/document.ts';
import { isObject } from '../schema/exact.ts';
import {
  allowedBy,
  behind,
  beneath,
  closure,
  IN_PLACE,
  inPlace,
  isClosed,
  itemAt,
  leadingTo,
  listed,
  membersOf,
  ofOthers,
  placesOf,
  testedItems,
} from '../schema/subschemas.ts';

// Members that no schema names. Where an object has `properties` and says nothing of others, they are valid, and are left
// out: of a request before the operation gets it, of a reply before it is sent.

/** What happens to the members of an object that no schema names. */
type Undeclared = 'kept' | 'left out' | 'refused';

/** What some schemas leave out of a value that all of them describe; undefined: nothing, also within it. */
export type OutlineAt = Outline | undefined;

/** Gets the name of each member that is left out. */
export type Tell = (name: string) => void;

/** The work to make an outline, for each of its schemas. */
const MAKING = 35;
/** The work to remove a member from an object of V8. */
const REMOVING = 3;
const NAME: ReadonlySet<string> = new Set(['a name']);
const NONE: ReadonlySet<string> = new Set();

/**
 * What the schemas of a value say of its members. Branches are not told apart: a member that one of them names stays.
 *
 * The outline of one schema is kept, and so is that of several which describe a part of its values: there are no more of
 * them than the contract has schemas and names. Any other set of schemas is chosen by the names in a message: its outline
 * spends from the budget, and only the outline of the whole value holds it.
 */
class Outline {
  readonly roots: readonly Schema[];
  private readonly known: Outlines;
  private readonly isKept: boolean;
  private readonly schemas: readonly Schema[];
  /** Those that only test the value: what they name stays. */
  private readonly tests: readonly Schema[];
  private readonly names: ReadonlySet<string>;
  private readonly patterns: readonly string[];
  /** Without a pattern, all members that no schema names have one place. */
  private readonly parts = new Map<string | number | undefined, OutlineAt>();
  private readonly places: number;
  readonly others: Undeclared;

  constructor(roots: readonly Schema[], known: Outlines, isKept: boolean) {
    this.roots = roots;
    this.known = known;
    this.isKept = isKept;
    this.schemas = inPlace(roots, known.follow);
    if (!isKept) spend(MAKING * this.schemas.length);
    const applied = new Set(this.schemas);
    const all = closure(roots, (each) => behind(each, IN_PLACE, known.follow));
    this.tests = all.filter((each) => !applied.has(each));
    this.names = new Set(all.flatMap(namesIn));
    this.patterns = this.schemas.flatMap(({ patternProperties = {} }) => Object.keys(patternProperties));
    this.places = placesOf(this.schemas);
    this.others = known.othersOf(roots, this.schemas);
  }

  /** Whether a member of this name stays. */
  keeps(name: string): boolean {
    return this.others !== 'left out' || this.names.has(name);
  }

  /** @throws Overspent */
  member(name: string): OutlineAt {
    if (this.names.has(name))
      return this.part(
        name,
        () => membersOf(this.schemas, name, this.known.matching(name)),
        () =>
          this.tests.flatMap(({ properties = {} }) =>
            Object.hasOwn(properties, name) ? [properties[name] ?? true] : [],
          ),
      );
    if (this.patterns.length === 0) return this.part(undefined, () => membersOf(this.schemas, undefined));
    spend(MAKING * this.schemas.length + name.length * this.known.timeOf(this.patterns));
    return this.known.at(membersOf(this.schemas, undefined, this.known.matching(name)), false);
  }

  /** @throws Overspent */
  item(index: number): OutlineAt {
    const at = Math.min(index, this.places);
    const itemOf = itemAt(at);
    return this.part(
      at,
      () => this.schemas.map(itemOf),
      () => [...this.tests.map(itemOf), ...[...this.schemas, ...this.tests].flatMap(testedItems)],
    );
  }

  /** @param tests the schemas that only test the part, and name members of it */
  private part(
    at: string | number | undefined,
    schemas: () => readonly AnySchema[],
    tests: () => readonly AnySchema[] = () => [],
  ): OutlineAt {
    if (this.parts.has(at)) return this.parts.get(at);
    const isKept = this.isKept && this.roots.length === 1;
    if (!isKept) spend(MAKING * this.schemas.length);
    const own = schemas();
    const found = this.known.at(own, isKept) && this.known.at([...own, ...tests()], isKept);
    if (isKept || !this.isKept || found?.isKept !== false) this.parts.set(at, found);
    return found;
  }
}

class Outlines {
  readonly follow: Follow;
  private readonly single = new Map<Schema, Outline>();
  private readonly expressions = new Map<string, RegExp>();
  private readonly times = new Map<string, number>();
  private readonly leads: (schema: AnySchema) => boolean;

  constructor(follow: Follow) {
    this.follow = follow;
    this.leads = leadingTo((each) => this.leavesOut(each), follow, this.within);
  }

  /** @param isKept whether the contract bounds how many such sets of schemas there are */
  at(schemas: readonly AnySchema[], isKept = true): OutlineAt {
    const roots = [...new Set(schemas)].filter((each) => typeof each === 'object');
    if (!roots.some(this.leads)) return undefined;
    const [first, ...others] = roots;
    if (first === undefined || others.length > 0) return new Outline(roots, this, isKept);
    return this.single.getOrInsertComputed(first, () => new Outline(roots, this, true));
  }

  othersOf(roots: readonly AnySchema[], schemas: readonly Schema[] = inPlace(roots, this.follow)): Undeclared {
    if (!schemas.some(hasNames) || schemas.some(keepsOthers)) return 'kept';
    return roots.every((each) => allowedBy(each, this.follow, NAME, ownNames).size > 0) ? 'left out' : 'refused';
  }

  /** The members that stay as one of the schemas of the value names them, also one that only tests it; none: all others stay. */
  namesOf(schema: AnySchema): string[] {
    if (this.othersOf([schema]) === 'kept') return [];
    return closure([schema], (each) => behind(each, IN_PLACE, this.follow)).flatMap(keywordsNaming);
  }

  /** The schemas with `properties` whose objects leave others out, in the values of these schemas. */
  leaving(schemas: readonly AnySchema[]): ReadonlySet<Schema> {
    const objects = closure(schemas, this.within).filter((each) => this.leavesOut(each));
    return new Set(inPlace(objects, this.follow).filter((each) => hasNames(each) && ownNames(each).size > 0));
  }

  /** A function that tells whether a pattern matches this name. */
  matching(name: string): (pattern: string) => boolean {
    return (pattern) => this.expressions.getOrInsertComputed(pattern, () => new RegExp(pattern, 'u')).test(name);
  }

  timeOf(patterns: readonly string[]): number {
    const time = (each: string) => this.times.getOrInsertComputed(each, timePerCharacter);
    return patterns.reduce((sum, each) => sum + time(each), 0);
  }

  private leavesOut(schema: Schema): boolean {
    return this.othersOf([schema]) === 'left out';
  }

  private readonly within = (schema: Schema) => inPlace([schema], this.follow).flatMap(beneath);
}

function hasNames({ properties = {} }: Schema): boolean {
  return Object.keys(properties).length > 0;
}

function namesIn(schema: Schema): string[] {
  return [...keywordsNaming(schema), ...(listed(schema) ?? []).filter(isObject).flatMap(Object.keys)];
}

function keywordsNaming({
  properties = {},
  required = [],
  dependentRequired = {},
  dependentSchemas = {},
}: Schema): string[] {
  const dependent = [...Object.entries(dependentRequired).flat(2), ...Object.keys(dependentSchemas)];
  return [...Object.keys(properties), ...required, ...dependent];
}

/** Whether a schema says itself that an object has members which it does not name. */
export const keepsOthers = (schema: Schema) => ofOthers(schema).some(Boolean);

/** Whether a schema itself allows an object to have a member that it does not name. */
function ownNames(schema: AnySchema): ReadonlySet<string> {
  if (typeof schema === 'boolean') return schema ? NAME : NONE;
  const isObjects = schema.type === undefined || [schema.type].flat().includes('object');
  return isObjects && !isClosed(schema) && listed(schema)?.some(isObject) !== false ? NAME : NONE;
}

const all = new WeakMap<Follow, Outlines>();

/** All messages of a contract share what is known of its schemas. */
export function outlinesOf(follow: Follow): Outlines {
  const outlines = all.get(follow) ?? new Outlines(follow);
  all.set(follow, outlines);
  return outlines;
}

/**
 * Leaves members out of the value, and of all objects within it.
 *
 * @returns whether there were any
 * @throws Overspent
 */
export function leaveOut(value: unknown, place: OutlineAt, tell?: Tell): boolean {
  if (place === undefined || typeof value !== 'object' || value === null) return false;
  let hadOthers = false;
  if (Array.isArray(value)) {
    spend(value.length);
    for (const [index, each] of value.entries())
      if (typeof each === 'object') hadOthers = leaveOut(each, place.item(index), tell) || hadOthers;
    return hadOthers;
  }
  const object = value as Record<string, unknown>;
  const names = Object.keys(object);
  spend(names.length);
  for (const name of names) {
    if (!place.keeps(name)) {
      spend(REMOVING);
      tell?.(name);
      hadOthers = Reflect.deleteProperty(object, name);
    } else if (typeof object[name] === 'object')
      hadOthers = leaveOut(object[name], place.member(name), tell) || hadOthers;
  }
  return hadOthers;
}
