import type { AnySchema, Follow } from '../../src/contract/schema/document.ts';
import { exactJson } from '../../src/contract/schema/int64.ts';
import { arrays } from './arrays.ts';
import { objects } from './objects.ts';
import { numbers, SPECIMENS, strings } from './scalars.ts';
import type { Branch, Judge, Keywords, SchemasAt, Supply } from './schemas.ts';
import { fromDocument, isObject, type JsonValue, withMember, withoutMember } from './values.ts';

/** A limit for the combinations of `anyOf`, `oneOf`, `if` and `dependentSchemas`. */
const MAX_BRANCHES = 48;

/** How many values a place gets by its depth: schemas that contain each other would multiply without an end. */
const LIMITS = [Infinity, Infinity, 5_000, 2_000, 500];
const LAST_LIMIT = 100;

/**
 * Proposes values for a schema, some that keep and some that break each keyword. Most differ from a valid value in one
 * place.
 */
export class Candidates implements Supply {
  private readonly judge: Judge;
  private readonly follow: Follow;
  private readonly seed: number;
  private readonly numbers = new Map<AnySchema, number>();
  private readonly known = new Map<string, readonly JsonValue[]>();
  private readonly fitting = new Map<readonly JsonValue[], readonly JsonValue[]>();
  /** The places under construction, as a schema may contain itself. */
  private readonly open = new Map<string, 'all' | 'least'>();

  /** @param seed the same seed gives the same candidates */
  constructor(judge: Judge, follow: Follow, seed: number) {
    this.judge = judge;
    this.follow = follow;
    this.seed = seed;
  }

  /** A place inside itself gets only the smallest values, and a place inside those gets none. */
  of(place: SchemasAt): readonly JsonValue[] {
    const key = place.map((each) => (typeof each === 'boolean' ? each : this.numberOf(each))).join();
    const extent = this.open.get(key);
    if (extent === 'least') return [];
    const isWhole = extent === undefined;
    const limit = LIMITS[this.open.size] ?? LAST_LIMIT;
    const name = `${isWhole ? limit : 'least'} of ${key}`;
    let candidates = this.known.get(name);
    if (candidates === undefined) {
      this.open.set(key, isWhole ? 'all' : 'least');
      const branches = this.branches(place, []);
      const all = unique(branches.flatMap((branch) => this.ofBranch(branch, isWhole)));
      // Only a value that a contract lists shows that the other one does not list it.
      candidates = unique([...branches.flat().flatMap(listed), ...some(all, limit)]);
      if (isWhole) this.open.delete(key);
      else this.open.set(key, extent);
      this.known.set(name, candidates);
    }
    return candidates;
  }

  valid(place: SchemasAt): readonly JsonValue[] {
    const candidates = this.of(place);
    return this.fitting.getOrInsertComputed(candidates, () => candidates.filter((value) => this.fits(place, value)));
  }

  fits(place: SchemasAt, value: JsonValue): boolean {
    return place.every((schema) => this.judge.isValid(schema, value));
  }

  private numberOf(schema: AnySchema): number {
    return this.numbers.getOrInsertComputed(schema, () => this.numbers.size);
  }

  private branches([first, ...others]: SchemasAt, taken: Branch): Branch[] {
    if (first === undefined) return [taken];
    if (first === false) return [];
    if (first === true || taken.includes(first)) return this.branches(others, taken);
    const { $ref, allOf = [], anyOf, oneOf, not, if: condition, then = true, else: otherwise = true } = first;
    const choices: SchemasAt[][] = [
      (anyOf ?? [true]).map((each) => [each]),
      (oneOf ?? [true]).map((each) => [each]),
      condition === undefined ? [[]] : [[condition, then], ...against(condition).map((each) => [...each, otherwise])],
      not === undefined ? [[]] : [[not], ...against(not)],
      ...Object.entries(first.dependentSchemas ?? {}).map(([name, each]) => [[], [{ required: [name] }, each]]),
    ];
    const always = [...($ref === undefined ? [] : [this.follow($ref)]), ...allOf];
    const products = choices.reduce<SchemasAt[]>(
      (all, choice) => all.flatMap((one) => choice.map((other) => [...one, ...other])).slice(0, MAX_BRANCHES),
      [always],
    );
    return products.flatMap((place) => this.branches([...place, ...others], [...taken, first])).slice(0, MAX_BRANCHES);
  }

  private ofBranch(branch: Branch, isWhole: boolean): JsonValue[] {
    return [
      ...branch.flatMap(listed).flatMap((value) => [value, ...near(value)]),
      ...branch.flatMap(examplesOf),
      ...strings(branch, this.seed),
      ...numbers(branch, this.seed),
      ...objects(branch, isWhole, this),
      ...arrays(branch, isWhole, this),
      ...(isWhole ? SPECIMENS : []),
    ];
  }
}

/** Places whose values may break the schema. */
function against(schema: AnySchema): SchemasAt[] {
  if (typeof schema === 'boolean') return [[]];
  const members = Object.entries(schema.properties ?? {});
  return [[], ...members.map(([name, not]) => [{ required: [name], properties: { [name]: { not } } }])];
}

function listed({ const: only, enum: values = [] }: Keywords): JsonValue[] {
  return [...(only === undefined ? [] : [only]), ...values].map(fromDocument);
}

function examplesOf({ default: filledIn, example, examples }: Keywords): JsonValue[] {
  // Examples are only shown: nothing has refused a map of them.
  return [filledIn, example, ...(Array.isArray(examples) ? (examples as unknown[]) : [])]
    .filter((each) => each !== undefined)
    .map(fromDocument);
}

/** Values that a validator may confuse with this one. */
function near(value: JsonValue): JsonValue[] {
  if (typeof value === 'string') return [`${value} `, value.toUpperCase(), value.slice(1), [value]];
  if (typeof value === 'bigint') return [value + 1n, value - 1n, String(value), value !== 0n, Number(value) + 0.5];
  if (typeof value === 'number') return [String(value), BigInt(Math.floor(value))];
  if (typeof value === 'boolean') return [!value, value ? 1n : 0n, String(value)];
  if (value === null) return ['null', 0n, false, {}];
  if (!isObject(value)) {
    const items = value.flatMap((each, at) => near(each).map((other) => value.with(at, other)));
    return [[...value, null], value.slice(1), ...items];
  }
  const members = Object.entries(value).flatMap(([name, each]) => [
    withoutMember(value, name),
    ...near(each).map((other) => withMember(value, name, other)),
  ]);
  return [withMember(value, 'more', null), ...members];
}

function unique(values: readonly JsonValue[]): JsonValue[] {
  return [...new Map(values.map((each) => [exactJson(each), each])).values()];
}

/** At most `limit` values, evenly spread over the list, whose parts come from different keywords. */
function some(values: readonly JsonValue[], limit: number): readonly JsonValue[] {
  const step = Math.ceil(values.length / limit);
  return step > 1 ? values.filter((_, at) => at % step === 0) : values;
}
