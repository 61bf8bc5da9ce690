import { type AnySchema, follower, type OpenApiDocument } from '../../src/schema/document.ts';
import { exactJson } from '../../src/schema/int64.ts';
import { arrays } from './arrays.ts';
import { objects } from './objects.ts';
import { numbers, SPECIMENS, strings } from './scalars.ts';
import { type Branch, judgeBy, type Keywords, type SchemasAt, type Supply } from './schemas.ts';
import { fromDocument, isObject, type JsonValue, withMember, withoutMember } from './values.ts';

/** A limit for the combinations of `anyOf`, `oneOf`, `if` and `dependentSchemas`. */
const MAX_BRANCHES = 48;

/** The most values of a place, by its depth: schemas that contain each other would multiply without an end. */
const LIMITS = [Infinity, Infinity, 5_000, 2_000, 500];
const LAST_LIMIT = 100;

/**
 * Proposes values for a schema, some that keep and some that break each keyword. Most differ from a valid value in one
 * place.
 *
 * @param seed the same seed gives the same candidates
 * @param isBrief whether the smallest objects and arrays are enough
 */
export function candidatesOf(document: OpenApiDocument, seed: number, isBrief = false): Supply {
  const isValid = judgeBy(document);
  const follow = follower(document);
  const ids = new Map<AnySchema, number>();
  const known = new Map<string, readonly JsonValue[]>();
  /** The valid ones among candidates. They are judged only as they are needed, since to judge one is slower than to make it. */
  const fitting = new Map<
    readonly JsonValue[],
    { readonly found: JsonValue[]; readonly others: Iterator<JsonValue, undefined> }
  >();
  /** The places under construction, as a schema may contain itself. */
  const open = new Map<string, 'all' | 'least'>();
  const supply: Supply = { of, valid, fits };
  return supply;

  /** A place within itself gets only the smallest values; a place within these gets none. */
  function of(place: SchemasAt): readonly JsonValue[] {
    const key = place
      .map((each) => (typeof each === 'boolean' ? each : ids.getOrInsertComputed(each, () => ids.size)))
      .join();
    const extent = open.get(key);
    if (extent === 'least') return [];
    const isWhole = !isBrief && extent === undefined;
    const limit = LIMITS[open.size] ?? LAST_LIMIT;
    const name = `${isWhole ? limit : 'least'} of ${key}`;
    let candidates = known.get(name);
    if (candidates === undefined) {
      open.set(key, isWhole ? 'all' : 'least');
      const branches = branchesOf(place, []);
      const all = unique(branches.flatMap((branch) => ofBranch(branch, isWhole)));
      // Values that a contract lists are never left out: only they show that the other contract does not list them.
      const kept = branches.flat().flatMap(listed);
      candidates = kept.length === 0 ? some(all, limit) : unique([...kept, ...some(all, limit)]);
      if (extent === undefined) open.delete(key);
      else open.set(key, extent);
      known.set(name, candidates);
    }
    return candidates;
  }

  function valid(place: SchemasAt, count: number): readonly JsonValue[] {
    const { found, others } = fitting.getOrInsertComputed(of(place), (candidates) => ({
      found: [],
      others: candidates.values().filter((value) => fits(place, value)),
    }));
    while (found.length < count) {
      const next = others.next();
      if (next.done === true) break;
      found.push(next.value);
    }
    return found.slice(0, count);
  }

  function fits(place: SchemasAt, value: JsonValue): boolean {
    return place.every((schema) => isValid(schema, value));
  }

  function branchesOf([first, ...others]: SchemasAt, taken: Branch): Branch[] {
    if (first === undefined) return [taken];
    if (first === false) return [];
    if (first === true || taken.includes(first)) return branchesOf(others, taken);
    const { $ref, allOf = [], anyOf, oneOf, not, if: condition, then = true, else: otherwise = true } = first;
    const choices: SchemasAt[][] = [
      (anyOf ?? [true]).map((each) => [each]),
      (oneOf ?? [true]).map((each) => [each]),
      condition === undefined ? [[]] : [[condition, then], ...against(condition).map((each) => [...each, otherwise])],
      not === undefined ? [[]] : [[not], ...against(not)],
      ...Object.entries(first.dependentSchemas ?? {}).map(([name, each]) => [[], [{ required: [name] }, each]]),
    ];
    const always = [...($ref === undefined ? [] : [follow($ref)]), ...allOf];
    const products = choices.reduce<SchemasAt[]>(
      (all, choice) => all.flatMap((one) => choice.map((other) => [...one, ...other])).slice(0, MAX_BRANCHES),
      [always],
    );
    return products.flatMap((place) => branchesOf([...place, ...others], [...taken, first])).slice(0, MAX_BRANCHES);
  }

  function ofBranch(branch: Branch, isWhole: boolean): JsonValue[] {
    return [
      ...branch.flatMap(listed).flatMap((value) => [value, ...near(value)]),
      ...branch.flatMap(examplesOf),
      ...strings(branch, seed),
      ...numbers(branch, seed),
      ...objects(branch, isWhole, supply),
      ...arrays(branch, isWhole, supply),
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
  // To escape a long text takes longer than to hash it; no JSON begins with a quotation mark but that of a text.
  const keyOf = (value: JsonValue) => (typeof value === 'string' ? `"${value}` : exactJson(value));
  return [...new Map(values.map((each) => [keyOf(each), each])).values()];
}

/** At most `limit` values, evenly spread over the list, whose parts come from different keywords. */
function some(values: readonly JsonValue[], limit: number): readonly JsonValue[] {
  const step = Math.ceil(values.length / limit);
  return step > 1 ? values.filter((_, at) => at % step === 0) : values;
}
