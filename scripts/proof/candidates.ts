import { arrays } from './arrays.ts';
import type { Judge, Keywords, Schema } from './judge.ts';
import { objects } from './objects.ts';
import type { Candidate, Place, Supply, Way } from './place.ts';
import { numbers, SPECIMENS, strings } from './scalars.ts';
import { fromDocument, isObject, type Json, withMember, without, write } from './values.ts';

/** A limit for the combinations of `anyOf`, `oneOf`, `if` and `dependentSchemas`. */
const MAX_WAYS = 48;

/**
 * Proposes values for a schema, some that keep and some that break each keyword. Most differ from a valid value in one
 * place. The judge then decides which are valid.
 */
export class Candidates implements Supply {
  readonly judge: Judge;
  private readonly seed: number;
  private readonly numbers = new Map<Schema, number>();
  private readonly known = new Map<string, readonly Candidate[]>();
  private readonly fitting = new Map<readonly Candidate[], readonly Json[]>();
  /** The places under construction, as a schema may contain itself. */
  private readonly open = new Map<string, 'all' | 'least'>();

  /** @param seed the same seed gives the same candidates */
  constructor(judge: Judge, seed: number) {
    this.judge = judge;
    this.seed = seed;
  }

  /** A place inside itself gets only the smallest values, and a place inside those gets none. */
  of(place: Place): readonly Candidate[] {
    const key = place.map((each) => this.numberOf(each)).join();
    const extent = this.open.get(key);
    if (extent === 'least') return [];
    const isWhole = extent === undefined;
    const name = isWhole ? key : `least of ${key}`;
    let candidates = this.known.get(name);
    if (candidates === undefined) {
      this.open.set(key, isWhole ? 'all' : 'least');
      candidates = unique(this.ways(place, []).flatMap((way) => this.ofWay(way, isWhole)));
      if (isWhole) this.open.delete(key);
      else this.open.set(key, extent);
      this.known.set(name, candidates);
    }
    return candidates;
  }

  valid(place: Place): readonly Json[] {
    const candidates = this.of(place);
    let values = this.fitting.get(candidates);
    if (values === undefined) {
      values = candidates.map(({ value }) => value).filter((value) => this.fits(place, value));
      this.fitting.set(candidates, values);
    }
    return values;
  }

  fits(place: Place, value: Json): boolean {
    return place.every((schema) => this.judge.isValid(schema, value));
  }

  numberOf(schema: Schema): number | boolean {
    if (typeof schema === 'boolean') return schema;
    const number = this.numbers.get(schema) ?? this.numbers.size;
    this.numbers.set(schema, number);
    return number;
  }

  private ways([first, ...others]: Place, taken: Way): Way[] {
    if (first === undefined) return [taken];
    if (first === false) return [];
    if (first === true || taken.includes(first)) return this.ways(others, taken);
    const { $ref, allOf = [], anyOf, oneOf, not, if: condition, then = true, else: otherwise = true } = first;
    const choices: Place[][] = [
      (anyOf ?? [true]).map((each) => [each]),
      (oneOf ?? [true]).map((each) => [each]),
      condition === undefined ? [[]] : [[condition, then], ...against(condition).map((each) => [...each, otherwise])],
      not === undefined ? [[]] : against(not),
      ...Object.entries(first.dependentSchemas ?? {}).map(([name, each]) => [[], [{ required: [name] }, each]]),
    ];
    const always = [...($ref === undefined ? [] : [this.judge.follow($ref)]), ...allOf];
    const products = choices.reduce<Place[]>(
      (all, choice) => all.flatMap((one) => choice.map((other) => [...one, ...other])).slice(0, MAX_WAYS),
      [always],
    );
    return products.flatMap((place) => this.ways([...place, ...others], [...taken, first])).slice(0, MAX_WAYS);
  }

  private ofWay(way: Way, isWhole: boolean): Candidate[] {
    const [schema = {}] = way;
    const values = [
      ...way.flatMap(listed).flatMap((value) => [value, ...near(value)]),
      ...way.flatMap(examplesOf),
      ...strings(way, this.seed),
      ...numbers(way, this.seed),
    ];
    const composed = [...objects(way, isWhole, this), ...arrays(way, isWhole, this)];
    const ofOtherTypes = isWhole ? SPECIMENS : [];
    const own = (value: Json) => ({ value, schema });
    return [...values.map(own), ...composed, ...ofOtherTypes.map(own)];
  }
}

/** Places whose values may break the schema. */
function against(schema: Schema): Place[] {
  if (typeof schema === 'boolean') return [[]];
  const members = Object.entries(schema.properties ?? {});
  return [[], ...members.map(([name, not]) => [{ required: [name], properties: { [name]: { not } } }])];
}

function listed({ const: only, enum: values = [] }: Keywords): Json[] {
  return [...(only === undefined ? [] : [only]), ...values].map(fromDocument);
}

function examplesOf({ default: filledIn, example, examples = [] }: Keywords): Json[] {
  return [filledIn, example, ...examples].filter((each) => each !== undefined).map(fromDocument);
}

/** Values that a validator may confuse with this one. */
function near(value: Json): Json[] {
  if (typeof value === 'string') return [`${value} `, value.toUpperCase(), value.slice(1), [value]];
  if (typeof value === 'bigint') return [value + 1n, value - 1n, String(value), value !== 0n, Number(value) + 0.5];
  if (typeof value === 'number') return [String(value), BigInt(Math.floor(value))];
  if (typeof value === 'boolean') return [!value, value ? 1n : 0n, String(value)];
  if (value === null) return ['null', 0n, false, {}];
  if (!isObject(value)) {
    const items = value;
    return [
      [...items, null],
      items.slice(1),
      ...items.flatMap((each, at) => near(each).map((other) => items.with(at, other))),
    ];
  }
  const object = value;
  return [
    withMember(object, 'more', null),
    ...Object.entries(object).flatMap(([name, each]) => [
      without(object, name),
      ...near(each).map((other) => withMember(object, name, other)),
    ]),
  ];
}

/** Of several equal values, keeps the last, whose schema is the innermost. */
function unique(candidates: readonly Candidate[]): Candidate[] {
  return [...new Map(candidates.map((each) => [write(each.value), each])).values()];
}
