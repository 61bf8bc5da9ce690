import { type AnySchema, type Follow, locationOf, type Schema } from './document.ts';
import { ContractError } from './errors.ts';
import { inPlace } from './positions.ts';

export type Direction = 'request' | 'reply';

/** The name of the keyword by which the validator is told to judge by exact.ts. */
export const EXACT = 'x-exact';

/** Keywords whose values are schemas: by names, in lists, and alone. */
const MAPS = ['$defs', 'properties', 'patternProperties'];
const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems'];
const SINGLES = [
  ...[
    'not',
    'if',
    'then',
    'else',
    'additionalProperties',
    'unevaluatedProperties',
    'propertyNames',
    'items',
    'contains',
  ],
];
/** Their schemas apply to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
/** Beneath these a schema applies to some values only. */
const CONDITIONAL = ['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'contains'];
/** Of these, Ajv would count what they evaluate also where they do not hold. */
const BRANCHES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
/** These see each other, where one schema has them. */
const MEMBERS = ['properties', 'patternProperties', 'additionalProperties'];
/** Keywords that the validator takes as they are. */
const PLAIN = [
  ...['maxLength', 'minLength', 'pattern', 'maxItems', 'minItems', 'maxContains', 'minContains'],
  ...['maxProperties', 'minProperties', 'required', 'dependentRequired'],
];
/** Keywords of exact.ts; the type and the format of numbers are too. */
const EXACT_KEYWORDS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'enum', 'const', 'uniqueItems'],
];
const NUMBERS: readonly unknown[] = ['integer', 'number'];

/** Where a schema stands: what it may say depends on it. */
interface Place {
  readonly of: 'a member' | 'a parameter' | 'another value';
  /** Whether it applies to some values only. */
  readonly isConditional: boolean;
  /** What has been referred to on the way to it, for the same value. */
  readonly within: readonly AnySchema[];
}
const ELSEWHERE: Place = { of: 'another value', isConditional: false, within: [] };
export const OF_PARAMETER: Place = { ...ELSEWHERE, of: 'a parameter' };

/**
 * Puts the schemas of a contract as the validator, which would get some of them wrong, is shown them: for requests, where
 * a member that is readOnly is refused, or for replies, where one that is writeOnly is. It is shown no defaults:
 * positions.ts fills them in.
 */
export class Translation {
  /** What is referred to, by the names that references have in the translation. */
  readonly components: Record<string, unknown> = {};
  private readonly direction: Direction;
  private readonly follow: Follow;
  private parts = 0;
  /** By whether they apply to some values only, and what they lead to. */
  private readonly references = new Map([true, false].map((each) => [each, new Map<AnySchema, string>()]));

  constructor(direction: Direction, follow: Follow) {
    this.direction = direction;
    this.follow = follow;
  }

  /** @throws ContractError for a schema that is not kept where it stands */
  schema(schema: AnySchema, place: Place = ELSEWHERE): unknown {
    if (typeof schema === 'boolean') return schema;
    this.requirePlace(schema, place);
    const shown: Record<string, unknown> = {};
    const exact: Record<string, unknown> = {};
    const also: unknown[] = [];
    // Where a branch has evaluated nothing, Ajv fails to count what patterns evaluate beside it.
    const members = schema.patternProperties === undefined ? shown : {};
    if (members !== shown) also.push(this.apart(members));
    for (const [keyword, value] of Object.entries(schema)) {
      const isConditional = place.isConditional || CONDITIONAL.includes(keyword);
      const within = IN_PLACE.includes(keyword) ? place.within : [];
      const inner: Place = { of: keyword === 'properties' ? 'a member' : 'another value', isConditional, within };
      const shownOf = (each: AnySchema) => {
        const translated = this.schema(each, inner);
        return BRANCHES.includes(keyword) ? this.apart(translated) : translated;
      };
      const to = MEMBERS.includes(keyword) ? members : shown;
      if (keyword === '$ref') shown['$ref'] = this.reference(this.follow(value as string), place);
      else if (MAPS.includes(keyword)) to[keyword] = this.map(value as Record<string, AnySchema>, inner);
      else if (LISTS.includes(keyword)) shown[keyword] = (value as AnySchema[]).map(shownOf);
      else if (keyword === 'if') shown['if'] = { anyOf: [shownOf(value as AnySchema)] };
      else if (SINGLES.includes(keyword)) to[keyword] = shownOf(value as AnySchema);
      else if (keyword === 'dependentSchemas') {
        for (const [name, each] of Object.entries(value as Record<string, AnySchema>))
          also.push({ if: { type: 'object', required: [name] }, then: shownOf(each) });
      } else if (PLAIN.includes(keyword)) shown[keyword] = value;
      else if (EXACT_KEYWORDS.includes(keyword)) exact[keyword] = value;
    }
    const { type, format, required, properties = {}, discriminator } = schema;
    // The type of a number is judged with it, and so are types beside it.
    const isOfNumbers =
      /^(?:int|float|double)/.test(format ?? '') || [type].flat().some((each) => NUMBERS.includes(each));
    for (const [keyword, value] of Object.entries({ type, format })) {
      if (value !== undefined) (isOfNumbers ? exact : shown)[keyword] = value;
    }
    if (required !== undefined) shown['required'] = required.filter((name) => !this.isBarred(properties[name]));
    // Ajv takes an `if` that has neither for one that says nothing, also of which members it evaluates.
    if (schema.if !== undefined) for (const each of ['then', 'else']) shown[each] ??= { not: false };
    if (also.length > 0) shown['allOf'] = [...((shown['allOf'] ?? []) as unknown[]), ...also];
    if (Object.keys(exact).length > 0) shown[EXACT] = exact;
    if (discriminator !== undefined) requirePinned(schema, discriminator, this.follow);
    return shown;
  }

  private map(schemas: Readonly<Record<string, AnySchema>>, place: Place): Record<string, unknown> {
    const shown = (each: AnySchema) =>
      place.of === 'a member' && this.isBarred(each) ? false : this.schema(each, place);
    return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shown(each)]));
  }

  /** Whether no value may be sent in this direction. */
  private isBarred(schema: AnySchema | undefined): boolean {
    if (typeof schema !== 'object') return false;
    const barred = this.direction === 'request' ? schema.readOnly : schema.writeOnly;
    return barred === true || (schema.$ref !== undefined && this.isBarred(this.follow(schema.$ref)));
  }

  /** A reference in the translation. What it leads to is translated once for all references to it. */
  private reference(target: AnySchema, place: Place): string {
    if (typeof target === 'object') this.requirePlace(target, place);
    if (place.within.includes(target))
      throw new ContractError(`${locationOf(target)}: a schema cannot refer to itself for the same value`);
    const known = this.references.get(place.isConditional);
    let name = known?.get(target);
    if (name === undefined) {
      name = `${place.isConditional ? 'c' : 's'}${known?.size ?? 0}`;
      known?.set(target, name);
      // Of which value it is, is seen above, for each reference.
      this.components[name] = this.schema(target, { ...place, of: 'a member', within: [...place.within, target] });
    }
    return `#/components/schemas/${name}`;
  }

  /** A schema that Ajv compiles by itself: what it evaluates counts where it holds. @returns a reference to it */
  private apart(translated: unknown): unknown {
    if (typeof translated === 'boolean') return translated;
    const name = `p${this.parts++}`;
    this.components[name] = translated;
    return { $ref: `#/components/schemas/${name}` };
  }

  private requirePlace(schema: Schema, place: Place): void {
    const { readOnly = false, writeOnly = false } = schema;
    const refuse = (what: string) => {
      throw new ContractError(`${locationOf(schema)}: ${what}`);
    };
    if ((readOnly || writeOnly) && place.of !== 'a member')
      refuse('readOnly and writeOnly are kept for members of objects');
    if (schema.default === undefined || this.direction === 'reply') return;
    if (place.of === 'another value')
      refuse('a default is filled in for parameters and for members of objects: leave it out');
    if (place.isConditional)
      refuse(
        'a default is filled in for all requests: it cannot stand beneath anyOf, oneOf, not, if, dependentSchemas',
      );
  }
}

/**
 * A discriminator says which branch a value belongs to: validation must come to the same (OpenAPI 3.1, section 4.8.25).
 *
 * @throws ContractError if a branch allows a value that belongs to another
 */
function requirePinned(
  schema: Schema,
  { propertyName, mapping = {} }: NonNullable<Schema['discriminator']>,
  follow: Follow,
): void {
  const { discriminator, oneOf, anyOf } = schema;
  const refuse = (what: string) => {
    throw new ContractError(`${locationOf(discriminator)}: ${what}`);
  };
  const branches = oneOf ?? anyOf ?? [];
  if (branches.length === 0) refuse('a discriminator must stand beside oneOf or anyOf');
  for (const branch of branches) {
    const reference = typeof branch === 'object' ? branch.$ref : undefined;
    if (reference === undefined) return refuse('beside a discriminator, each branch must be a $ref');
    const name = reference.replace(/^.*\//, '');
    const mapped = Object.entries(mapping).filter(([, target]) => target === reference || target === name);
    const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
    const schemas = inPlace([branch], follow);
    const pinned = schemas.flatMap(({ properties = {} }) =>
      inPlace([properties[propertyName] ?? true], follow).map((each) => ('const' in each ? [each.const] : each.enum)),
    );
    const isPinned =
      schemas.some(({ required = [] }) => required.includes(propertyName)) &&
      pinned.some((each) => each !== undefined && new Set(values).symmetricDifference(new Set(each)).size === 0);
    if (!isPinned) {
      const value = values.length === 1 ? `const: ${values.join()}` : `enum: [${values.join(', ')}]`;
      refuse(`${reference} must require ${propertyName}, and pin it by ${value}, as the discriminator says`);
    }
  }
}
