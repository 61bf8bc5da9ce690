import {
  inPlace,
  isClosed,
  isInt64Schema,
  itemAt,
  joined,
  keyOf,
  leadingTo,
  membersOf,
  partsOf,
  TYPES,
  typesOf,
} from './subschemas.ts';
import { type AnySchema, type Follow, locationOf, type Schema } from './document.ts';
import { ContractError } from '../contract-error.ts';
import { int64, losesDigits } from './int64.ts';
import { typesNumbers } from './numbers.ts';
import { budget, spend } from './budget.ts';

interface Default {
  readonly name: string;
  readonly value: unknown;
  readonly position: Position;
}

/**
 * A place in a JSON value, with the schemas that describe the value there. `int64`: one of them has that format.
 * Positions of members and items are made on first access, as schemas may contain themselves. Places with the same
 * schemas share a position, as clients choose how deep a body nests.
 */
export class Position {
  readonly int64: boolean;
  /** Whether a schema gives the numbers here a type: where none is int64, they are doubles. */
  private readonly isTyped: boolean;
  readonly types: ReadonlySet<string>;
  /** The members that the contract declares here. */
  readonly names: ReadonlySet<string>;
  readonly default: unknown;
  readonly roots: readonly AnySchema[];
  private readonly schemas: readonly Schema[];
  private readonly patterns: readonly RegExp[];
  /** The number of items that have places of their own, before the others. */
  readonly places: number;
  private readonly follow: Follow;
  private readonly pool: Pool;
  private readonly members = new Map<string, Position>();
  private readonly others = new Map<string, Position>();
  private readonly elements = new Map<number, Position>();
  private filledIn: readonly Default[] | undefined;
  private hasDefaults: boolean | undefined;

  /** @param schema the schema of a whole value, or all schemas of a part of a value */
  constructor(schema: AnySchema | readonly AnySchema[], follow: Follow, pool = poolOf(follow)) {
    const roots = [schema].flat();
    pool.add(this);
    this.roots = roots;
    this.schemas = inPlace(roots, follow);
    this.follow = follow;
    this.pool = pool;
    this.int64 = this.schemas.some(isInt64Schema);
    this.isTyped = this.schemas.some(typesNumbers);
    this.types = roots.map((each) => typesOf(each, follow)).reduce((all, each) => all.intersection(each), TYPES);
    const { names, patterns, places } = partsOf(this.schemas);
    this.names = names;
    this.patterns = patterns;
    this.places = places;
    this.default = this.schemas.find(({ default: value }) => value !== undefined)?.default;
  }

  /** The members that every object here must have. */
  get required(): ReadonlySet<string> {
    return new Set(joined(this.roots, this.follow).flatMap(({ required = [] }) => required));
  }

  get isReadOnly(): boolean {
    return this.schemas.some(({ readOnly }) => readOnly);
  }

  /** Whether an object may have only declared members. */
  get isClosed(): boolean {
    return this.schemas.some(isClosed);
  }

  member(name: string): Position {
    // getOrInsertComputed alone would make a function at each call, which took 4 % of the time of a validation.
    const known = this.members.get(name);
    if (known !== undefined) return known;
    if (this.names.has(name))
      return this.members.getOrInsertComputed(name, () => this.part(membersOf(this.schemas, name)));
    return this.other(this.patterns.filter((pattern) => pattern.test(name)));
  }

  /** @param matched the patterns that match the name of an undeclared member */
  private other(matched: readonly RegExp[]): Position {
    const sources = matched.map(({ source }) => source);
    const matches = (pattern: string) => sources.includes(new RegExp(pattern, 'u').source);
    return this.others.getOrInsertComputed(keyOf(matched), () =>
      this.part(membersOf(this.schemas, undefined, matches)),
    );
  }

  private part(schemas: readonly AnySchema[]): Position {
    // A place that one schema describes costs nothing: the contract bounds their number. Two schemas, or patterns of names,
    // make as many places as clients can combine.
    if (this.roots.length > 1 || this.patterns.length > 0) this.pool.take(this.schemas.length, this.roots);
    return this.pool.at(schemas);
  }

  /** Lets go of the places of members and items. */
  forget(): void {
    for (const each of [this.members, this.others, this.elements]) each.clear();
    this.filledIn = undefined;
  }

  item(index: number): Position {
    // All items after prefixItems share one position.
    const at = Math.min(index, this.places);
    const known = this.elements.get(at);
    if (known !== undefined) return known;
    return this.elements.getOrInsertComputed(at, () => this.part(this.schemas.map(itemAt(at))));
  }

  /** The places of members that no schema names, by the pattern that their names match; '': by none. */
  get unnamed(): ReadonlyMap<string, Position> {
    return new Map([
      ['', this.other([])],
      ...this.patterns.map((pattern) => [pattern.source, this.other([pattern])] as const),
    ]);
  }

  /** The number of sets of patterns that a name can match. */
  get combinations(): number {
    return 2 ** this.patterns.length;
  }

  /** The places of all members and items. */
  beneath(): Position[] {
    const matched = subsets(this.patterns);
    return [
      ...Array.from(this.names, (name) => this.member(name)),
      ...matched.map((patterns) => this.other(patterns)),
      ...Array.from({ length: this.places + 1 }, (_, index) => this.item(index)),
    ];
  }

  /** Adds missing members that have a default, to the value and to all objects within it. @returns whether it did */
  fillIn(value: unknown): boolean {
    if (typeof value !== 'object' || value === null || !this.mayFillIn) return false;
    let added = false;
    if (Array.isArray(value)) {
      for (const [index, each] of value.entries()) added = this.item(index).fillIn(each) || added;
      return added;
    }
    const object = value as Record<string, unknown>;
    for (const [name, each] of Object.entries(object)) added = this.member(name).fillIn(each) || added;
    for (const { name, value: filledIn, position } of this.defaults) {
      if (Object.hasOwn(object, name)) continue;
      object[name] = position.filled(filledIn);
      added = true;
    }
    return added;
  }

  /** Whether a schema of the value or of a part of it has a default. */
  get mayFillIn(): boolean {
    this.hasDefaults ??= this.roots.some((each) => this.pool.leadsToDefault(each));
    return this.hasDefaults;
  }

  /** The members that have a default. */
  get defaults(): readonly Default[] {
    this.filledIn ??= [...this.names].flatMap((name) => {
      const position = this.member(name);
      // A request must not have readOnly members.
      return position.default === undefined || position.isReadOnly ? [] : [{ name, value: position.default, position }];
    });
    return this.filledIn;
  }

  /** A copy of a default in which its own missing members are filled in. */
  filled(value: unknown): unknown {
    const copy = this.exact(value);
    this.fillIn(copy);
    return copy;
  }

  /**
   * Reads a number of JSON. An int64 is a bigint, and exact; any other number is a double.
   *
   * @returns undefined for an integer that would lose digits where no schema types it
   */
  number(literal: string): number | bigint | undefined {
    const exact = this.int64 ? int64(literal) : undefined;
    if (exact !== undefined) return exact;
    const double = Number(literal);
    const isLost = !this.int64 && !this.isTyped && this.types.has('integer') && losesDigits(literal, double);
    return isLost ? undefined : double;
  }

  /**
   * Types a number of a reply by the same rule, wherever the operation got it: a column of JSON has an int64 below 2^53
   * as a number, and the double 1e16 as a bigint. Any other value stays.
   */
  typed(value: unknown): unknown {
    if (typeof value === 'number') return this.int64 && Number.isSafeInteger(value) ? BigInt(value) : value;
    return typeof value === 'bigint' && this.isTyped && !this.int64 ? Number(value) : value;
  }

  /** A copy of a value of the contract, such as a default, in which each int64 is a bigint. */
  exact(value: unknown): unknown {
    if (typeof value === 'number') return this.int64 && Number.isInteger(value) ? BigInt(value) : value;
    if (Array.isArray(value)) return value.map((each, index) => this.item(index).exact(each));
    if (typeof value !== 'object' || value === null) return value;
    const members = Object.entries(value).map(([name, each]) => [name, this.member(name).exact(each)] as const);
    // The copy has no prototype: Ajv would take the inherited `constructor` for a required member of that name.
    return Object.assign(Object.create(null) as object, Object.fromEntries(members));
  }
}

/** Clients can send values for all combinations of schemas, and the service keeps a position for each. */
const MAX_COMBINATIONS = 5000;

function subsets<T>(values: readonly T[]): readonly (readonly T[])[] {
  return values.reduce<readonly (readonly T[])[]>((all, each) => all.flatMap((some) => [some, [...some, each]]), [[]]);
}

/**
 * All places in values of these schemas; places with the same schemas count as one.
 *
 * @throws ContractError if a client could choose among too many sets of schemas
 */
export function placesIn(schemas: readonly AnySchema[], follow: Follow): ReadonlySet<Position> {
  const pool = new Pool(follow, Infinity);
  const places = new Set(schemas.map((each) => pool.at([each])));
  let combined = 0;
  // The iteration of a Set includes what is added meanwhile.
  for (const place of places) {
    // There are no more places with one schema than schemas in the contract.
    if (place.roots.length > 1) combined++;
    if (Math.max(combined, place.combinations) > MAX_COMBINATIONS)
      throw new ContractError(
        `values with an int64 or a default can have more than ${MAX_COMBINATIONS} combinations of schemas: ` +
          'use fewer patternProperties, or fewer branches with members of the same names',
        locationOf(place.roots.find((each) => typeof each === 'object')),
      );
    for (const each of place.beneath()) places.add(each);
  }
  return places;
}

const ANY: ReadonlySet<AnySchema> = new Set([true]);

/** The work to find what describes a part of a value, for each schema of the value. */
const FINDING = 35;
/** The schemas of all positions that are kept: some 10 MB. */
const MAX_KEPT = 50_000;

/**
 * Keeps one Position for each set of schemas: all places of a value that these schemas describe share it. Schemas that lead
 * to one another have more sets than any memory holds, and the names in a message choose among them: a new set spends from
 * the budget of its message, and all are forgotten when they are too many.
 */
class Pool {
  private readonly positions = new Map<string, Position>();
  private readonly all = new Set<Position>();
  private kept = 0;
  private readonly numbers = new Map<AnySchema, number>();
  readonly leadsToDefault: (schema: AnySchema) => boolean;
  private readonly follow: Follow;

  private readonly most: number;

  constructor(follow: Follow, most = MAX_KEPT) {
    this.follow = follow;
    this.most = most;
    this.leadsToDefault = leadingTo((each) => each.default !== undefined, follow);
  }

  add(position: Position): void {
    this.all.add(position);
  }

  at(schemas: readonly AnySchema[]): Position {
    // The schema `true` adds nothing to other schemas.
    const own = new Set(schemas).difference(ANY);
    const roots = own.size === 0 ? [...ANY] : [...own];
    const numbers = roots.map((each) => this.numbers.getOrInsertComputed(each, () => this.numbers.size));
    const key = numbers.sort((one, other) => one - other).join();
    const known = this.positions.get(key);
    if (known !== undefined) return known;
    if (roots.length > 1) this.take(roots.length, roots);
    const position = new Position(roots, this.follow, this);
    this.positions.set(key, position);
    return position;
  }

  /** @param at the schemas that need it @throws Overspent */
  take(count: number, [at]: readonly AnySchema[]): void {
    if (typeof at === 'object') budget.at = at;
    spend(FINDING * count);
    this.kept += count;
    if (this.kept > this.most) this.forget();
  }

  private forget(): void {
    this.kept = 0;
    for (const each of this.all) each.forget();
    for (const [key, each] of this.positions)
      if (each.roots.length > 1) {
        this.positions.delete(key);
        this.all.delete(each);
      }
  }
}

const pools = new WeakMap<Follow, Pool>();

/** All messages of a contract share a pool, and so its bound. */
function poolOf(follow: Follow): Pool {
  const pool = pools.get(follow) ?? new Pool(follow);
  pools.set(follow, pool);
  return pool;
}
