import { MAX_BODY_BYTES } from '../rules/body-limit.ts';
import type { Declared } from '../contract.ts';
import { COMPARISON, countFilledIn, faultsOf, FILLING, NAME, ofMembers, ofText, sum, workOf } from './schema-costs.ts';
import { type AnySchema, type Follow, locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../errors.ts';
import { MAX_DEPTH, MAX_NAME } from '../message/json.ts';
import { declaredMembers, isSchema, reachable } from '../schema/subschemas.ts';

/**
 * The unit of work is one schema that is applied to one value: up to 60 ns (`npm run test:attacks` has the figures). A
 * body of 64 KiB may cost 40 ms, one of 1 MiB 330 ms.
 */
const BASE_WORK = 300_000;
const WORK_PER_BYTE = 5;
/** More schemas than this for one value are not counted one by one. */
const MAX_APPLIED = 1000;
/** More combinations of schemas than this would take seconds to count. */
const MAX_COMBINATIONS = 5000;
/** The characters of the shortest item `{},` and of a member `"":{},` without its name. */
const ITEM_BYTES = 3;
const MEMBER_BYTES = 6;

/** Schemas for the same parts of a value. One that applies twice is listed twice. */
interface Part {
  readonly schemas: readonly AnySchema[];
  /** The largest number of such parts in one value. */
  readonly times: number;
  /** The least number of bytes of such a part. */
  readonly bytes: number;
  /** The work of the object around it for each of these bytes. */
  readonly perByte: number;
  /** Whether clients choose its name. */
  readonly isNamed?: boolean;
}

interface Bound {
  readonly depth: number;
  readonly work: number;
}

/** Node's limit for the target and the header fields of a request, in bytes. */
const MAX_HEAD = 16 * 1024;

/** @returns the largest number of faults that one value of a message can have @throws ContractError */
export function requireBoundedMessages({ parameters, body, replies }: Declared, follow: Follow): number {
  const contents = [...replies.values()].flatMap(({ content }) => (content === undefined ? [] : [content]));
  const bounds = [
    ...[...(body?.types.values() ?? [])].map(({ schema }) => requireBoundedWork(schema, body?.maxBytes ?? 0, follow)),
    ...contents.map(({ schema }) => requireBoundedWork(schema, MAX_BODY_BYTES, follow, 'reply')),
    ...parameters.map(({ schema }) => requireBoundedWork(schema, MAX_HEAD, follow, 'parameter')),
  ];
  return Math.max(1, ...bounds);
}

/**
 * Computes how often schemas can be applied when the service validates a value of `maxBytes` bytes, whatever a client
 * sends.
 *
 * @returns the largest number of faults that one value can have, without those of its parts
 * @throws ContractError if a value could take more work than its bytes justify
 */
export function requireBoundedWork(
  root: AnySchema,
  maxBytes: number,
  follow: Follow,
  part: 'request body' | 'reply' | 'parameter' = 'request body',
): number {
  // The service fills in defaults in requests only.
  const fills = part !== 'reply' && reachable(root, follow).some((each) => each.default !== undefined);
  const known = new Map<string, Bound>();
  const numbers = new Map<Schema, number>();
  let densest: { readonly perByte: number; readonly applied: readonly Schema[] } = { perByte: 0, applied: [] };
  // The most work for one byte of a text, and of an object with many members.
  let [longest, widest, faults] = [0, 0, 0];

  const work = visit({ schemas: [root], times: 1, bytes: maxBytes, perByte: 0 }, 0, 0, []);
  const allowed = BASE_WORK + WORK_PER_BYTE * maxBytes;
  if (Math.min(work + (longest + widest) * maxBytes, densest.perByte * maxBytes) <= allowed) return faults;
  throw new ContractError(
    `${locationOf(densest.applied[0])}: ${densest.applied.length} schemas apply to one value here, and a ${part} of ` +
      `${maxBytes} bytes can hold too many or too large such values: lower maxItems beside items, maxProperties beside ` +
      `additionalProperties${part === 'request body' ? ', or x-max-body-bytes' : ''}, use fewer branches, patterns and ` +
      'checks, or choose between branches by a discriminator',
  );

  /**
   * @param extra work for each value, since an array around it must not have two equal items
   * @param holders the schemas of the array or object around it
   */
  function visit(
    { schemas, bytes, perByte, isNamed = false }: Part,
    depth: number,
    extra: number,
    holders: readonly Schema[],
  ): number {
    const filling = fills ? FILLING * countFilledIn(schemas, follow) : 0;
    const bounds = alternatives(schemas, follow).map((applied) => {
      const ids = applied.map((each) => numbers.getOrInsertComputed(each, () => numbers.size));
      const key = `${extra} ${perByte} ${Number(isNamed)} ${ids.sort((one, other) => one - other).join()}`;
      const before = known.get(key);
      if (before !== undefined && before.depth <= depth) return before.work;
      // A schema that contains itself has no bound by its own words, and JSON nests only so deep.
      known.set(key, { depth, work: Infinity });
      if (known.size > MAX_COMBINATIONS)
        throw new ContractError(
          `${locationOf(root)}: more than ${MAX_COMBINATIONS} combinations of schemas can apply to the values of one ` +
            'message: use fewer branches with members of the same names',
        );
      const own = sum(applied.map(workOf)) + filling + extra;
      faults = Math.max(faults, sum(applied.map(faultsOf)));
      const ofName = isNamed ? NAME * applied.length : 0;
      const ofCharacter = sum(applied.map(ofText));
      longest = Math.max(longest, ofCharacter);
      widest = Math.max(widest, perByte);
      const density = own / bytes + ofName + ofCharacter + perByte;
      if (density > densest.perByte) densest = { perByte: density, applied: applied.length > 0 ? applied : holders };
      if (depth === MAX_DEPTH) return Infinity;
      const comparisons = applied.filter(({ uniqueItems = false }) => uniqueItems).length * COMPARISON;
      const comparison = Math.max(Math.min(extra, COMPARISON), comparisons);
      const parts = partsOf(applied, extra > 0).filter(
        ({ schemas, times, perByte }) => times > 0 && (schemas.length > 0 || comparison > 0 || perByte > 0),
      );
      const below = parts.map((part) => {
        const each = visit(part, depth + 1, comparison, applied);
        return each === 0 ? 0 : part.times * each;
      });
      const bound = own + ofName * MAX_NAME + sum(below);
      known.set(key, { depth, work: bound });
      return bound;
    });
    return Math.max(...bounds);
  }
}

/** The schemas that apply to a value, for each choice of branches by discriminators. */
function alternatives(roots: readonly AnySchema[], follow: Follow): readonly (readonly Schema[])[] {
  const visit = (schema: AnySchema | undefined, within: readonly Schema[]): readonly (readonly Schema[])[] => {
    // schemas.ts refuses a schema that refers to itself for the same value.
    if (typeof schema !== 'object' || within.includes(schema)) return [[]];
    const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas = {}, discriminator } = schema;
    const chosen = discriminator === undefined ? [] : schema.oneOf === undefined ? anyOf : oneOf;
    const branches = [...anyOf, ...oneOf].filter((each) => !chosen.includes(each));
    const { not, if: condition, then, else: otherwise } = schema;
    const tests = [not, condition, then, otherwise];
    const all = [$ref === undefined ? undefined : follow($ref), ...allOf, ...branches, ...tests];
    const inner = (each: AnySchema | undefined) => visit(each, [...within, schema]);
    const sets = combined([[[schema]], ...[...all, ...Object.values(dependentSchemas)].map(inner)]);
    return chosen.length === 0 ? sets : combined([sets, chosen.flatMap(inner)]);
  };
  return combined(roots.map((each) => visit(each, [])));
}

/** One set of each list, in all combinations. @throws ContractError */
function combined(lists: readonly (readonly (readonly Schema[])[])[]): readonly (readonly Schema[])[] {
  let sets: readonly (readonly Schema[])[] = [[]];
  for (const list of lists) {
    sets = sets.flatMap((set) => list.map((more) => (more.length === 0 ? set : [...set, ...more])));
    const largest = Math.max(sets.length, ...sets.map(({ length }) => length));
    if (largest > MAX_APPLIED)
      throw new ContractError(
        `${locationOf(sets[0]?.[0])}: more than ${MAX_APPLIED} schemas apply to one value: refer to a schema in fewer ` +
          'places, above all to one that contains itself, or choose between branches by a discriminator',
      );
  }
  return sets;
}

/**
 * Only a bound in the same schema counts: Ajv follows `$ref`, `allOf` and branches before it compares the length.
 *
 * @param isCompared whether an array around the value must not have two equal items
 */
function partsOf(applied: readonly Schema[], isCompared: boolean): Part[] {
  const mostItems = applied.map(({ items, contains, uniqueItems = false, maxItems = Infinity }) =>
    isSchema(items) || isSchema(contains) || uniqueItems ? maxItems : 0,
  );
  const mostMembers = applied.map(({ patternProperties, unevaluatedProperties, ...schema }) => {
    // schemas.ts sets these apart.
    if (patternProperties !== undefined || isSchema(unevaluatedProperties)) return Infinity;
    const visits = isSchema(schema.additionalProperties) || isSchema(schema.propertyNames);
    return visits ? (schema.maxProperties ?? Infinity) : 0;
  });
  const compared = isCompared ? Infinity : 0;
  const members = (times: number, name: string, of: (schema: Schema) => readonly (AnySchema | undefined)[]): Part => ({
    schemas: schemasIn(applied.flatMap(of)),
    times,
    bytes: MEMBER_BYTES + name.length,
    perByte: ofMembers(applied),
  });
  const names = new Set(applied.flatMap(({ properties = {} }) => Object.keys(properties)));
  const declared = [...names].map((name) =>
    members(1, name, (schema) => [...declaredMembers(schema, name), schema.unevaluatedProperties]),
  );
  const ofOthers = members(Math.max(1, compared, ...mostMembers), '', ({ patternProperties = {}, ...schema }) => [
    ...Object.values(patternProperties),
    schema.additionalProperties,
    schema.unevaluatedProperties,
    schema.propertyNames,
  ]);
  const other = { ...ofOthers, isNamed: true };
  const places = Math.max(0, ...applied.map(({ prefixItems = [] }) => prefixItems.length));
  const items = (index: number, times: number): Part => ({
    schemas: schemasIn(
      applied.flatMap(({ prefixItems = [], items: others, contains }) => [prefixItems[index] ?? others, contains]),
    ),
    times,
    bytes: ITEM_BYTES,
    perByte: 0,
  });
  const first = Array.from({ length: places }, (_, index) => items(index, 1));
  return [...declared, other, ...first, items(places, Math.max(0, compared, ...mostItems))];
}

function schemasIn(schemas: readonly (AnySchema | undefined)[]): AnySchema[] {
  return schemas.filter(isSchema);
}
