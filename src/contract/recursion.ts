import { type AnySchema, type Follow, locationOf, type Schema } from './document.ts';
import { ContractError } from './errors.ts';

/** A schema of parts of a value. The label is `.name`, a pattern, `*` (other members), `[0]`, or `[]` (other items). */
interface Beneath {
  readonly owner: Schema;
  readonly label: string | RegExp;
  readonly schema: AnySchema;
}

/**
 * Refuses a recursive schema that refers to itself twice for the same part of a value: the number of checks would double
 * at each level, and a body of 300 bytes could keep the service busy for minutes. @throws ContractError
 */
export function requireSingleRecursion(schema: Schema, follow: Follow): void {
  for (const applied of alternatives(schema, follow)) {
    const again = applied.flatMap(beneath).filter((each) => leadsTo(each.schema, schema, follow));
    const doubled = again.find((one, index) => again.slice(index + 1).some((other) => overlap(one, other)));
    if (doubled === undefined) continue;
    throw new ContractError(
      `${locationOf(schema)}: this schema applies twice to the same part of a value, four times to its parts, and so on: ` +
        'refer to it in one place only, or choose between branches by a discriminator',
    );
  }
}

/** The schemas that apply to the value, per branch of a discriminator; one that applies twice is listed twice. */
function alternatives(root: Schema, follow: Follow): readonly (readonly Schema[])[] {
  const visit = (schema: AnySchema | undefined, within: readonly Schema[]): readonly (readonly Schema[])[] => {
    if (typeof schema !== 'object' || within.includes(schema)) return [[]];
    const { $ref, allOf = [], anyOf = [], oneOf = [], dependentSchemas = {}, discriminator } = schema;
    const union = schema.oneOf === undefined ? anyOf : oneOf;
    const chosen = discriminator === undefined ? [] : union;
    const also = [...allOf, ...anyOf, ...oneOf, ...Object.values(dependentSchemas)].filter(
      (each) => !chosen.includes(each),
    );
    const { not, if: condition, then, else: otherwise } = schema;
    const all = [...also, $ref === undefined ? undefined : follow($ref), not, condition, then, otherwise];
    const inner = (each: AnySchema | undefined) => visit(each, [...within, schema]);
    let sets: readonly (readonly Schema[])[] = [[schema]];
    for (const each of all) sets = sets.flatMap((set) => inner(each).map((more) => [...set, ...more]));
    return chosen.length === 0 ? sets : chosen.flatMap(inner).flatMap((more) => sets.map((set) => [...set, ...more]));
  };
  return visit(root, []);
}

function beneath(owner: Schema): Beneath[] {
  const { properties = {}, patternProperties = {}, prefixItems = [], items, contains } = owner;
  const others = [owner.additionalProperties, owner.unevaluatedProperties];
  const found: (readonly [string | RegExp, AnySchema | undefined])[] = [
    ...Object.entries(properties).map(([name, each]) => [`.${name}`, each] as const),
    ...Object.entries(patternProperties).map(([pattern, each]) => [new RegExp(pattern, 'u'), each] as const),
    ...others.map((each) => ['*', each] as const),
    ...prefixItems.map((each, index) => [`[${index}]`, each] as const),
    ...[items, contains].map((each) => ['[]', each] as const),
  ];
  return found.flatMap(([label, schema]) => (schema === undefined ? [] : [{ owner, label, schema }]));
}

/** Whether both may apply to the same part of a value. */
function overlap(one: Beneath, other: Beneath): boolean {
  const [first, second] = [one.label, other.label];
  const isItem = (label: string | RegExp) => typeof label === 'string' && label.startsWith('[');
  if (isItem(first) !== isItem(second)) return false;
  if (first === second) return true;
  if (isItem(first)) return (first === '[]' || second === '[]') && one.owner !== other.owner;
  if (first === '*' || second === '*') return one.owner !== other.owner;
  if (typeof first !== 'string') return typeof second !== 'string' || first.test(second.slice(1));
  return typeof second !== 'string' && second.test(first.slice(1));
}

function leadsTo(from: AnySchema, to: Schema, follow: Follow): boolean {
  const found = new Set<unknown>();
  const visit = (node: unknown): boolean => {
    if (node === to) return true;
    if (typeof node !== 'object' || node === null || found.has(node)) return false;
    found.add(node);
    const { $ref } = node as { readonly $ref?: unknown };
    return Object.values(node).some(visit) || (typeof $ref === 'string' && visit(follow($ref)));
  };
  return visit(from);
}
