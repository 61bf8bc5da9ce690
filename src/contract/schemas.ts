import { type AnySchema, type Follow, locationOf, type Schema } from './document.ts';
import { ContractError } from './errors.ts';
import { type ExactCheck, exactChecks } from './exact.ts';
import { exactJson } from './int64.ts';
import { joined } from './positions.ts';
import { requireSingleRecursion } from './recursion.ts';
import { VOCABULARY } from './vocabulary.ts';

/** Their schemas apply to the same value. */
const IN_PLACE = ['allOf', 'anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas'];
/** Beneath these a schema applies to some values only. */
const CONDITIONAL = ['anyOf', 'oneOf', 'not', 'if', 'then', 'else', 'dependentSchemas', 'contains'];
/** Of what stands beneath these, the types of TypeScript say nothing. */
const UNTYPED = ['not', 'if', 'then', 'else', 'dependentSchemas', 'contains', 'propertyNames'];
/** Of these, Ajv would count what they evaluate also where they do not hold. */
const BRANCHES = ['anyOf', 'oneOf', 'if', 'then', 'else', 'dependentSchemas'];
/** These see each other, where one schema has them. */
const MEMBERS = ['properties', 'patternProperties', 'additionalProperties'];
/** Keywords that the validator takes as they are. */
const PLAIN = /^(?:pattern|(?:max|min)(?:Length|Items|Contains|Properties))$/;
/** Keywords of exact.ts; the types and the formats of numbers are too. */
const EXACT = [
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'enum',
  'const',
  'uniqueItems',
];
const OF_NUMBERS = /^(?:int32|int64|float|double)$/;

/** The names that every object of JavaScript has. */
const INHERITED = Object.getOwnPropertyNames(Object.prototype);

/** Where a schema stands: what it may say depends on it. */
interface Place {
  readonly of: 'a member' | 'a parameter' | 'another value';
  /** Whether it applies to some values only. */
  readonly isConditional: boolean;
  readonly isTyped: boolean;
  /** What has been referred to on the way to it, for the same value. */
  readonly within: readonly AnySchema[];
  /** The members that another schema of the same value keeps out. */
  readonly barred: readonly string[];
}
const ELSEWHERE: Place = { of: 'another value', isConditional: false, isTyped: true, within: [], barred: [] };
export const OF_PARAMETER: Place = { ...ELSEWHERE, of: 'a parameter' };

/**
 * Puts the schemas of a contract as the validator, which would get some of them wrong, is shown them: for requests, where
 * a member that is readOnly is refused, or for replies, where one that is writeOnly is. It is shown no defaults:
 * positions.ts fills them in.
 */
export class Translation {
  /** What is referred to, by the names that references have in the translation. */
  readonly components: Record<string, unknown> = {};
  /** What exact.ts judges: `exact0: true` in a schema demands the first of these. */
  readonly checks: ExactCheck[] = [];
  /** The schemas that have a default, and how the validator is shown them. */
  readonly defaults = new Map<Schema, unknown>();
  private readonly direction: 'request' | 'reply';
  private readonly follow: Follow;
  private readonly known = new Map<string, readonly string[]>();
  /** By the place, as far as it matters, and what they lead to. */
  private readonly references = new Map<string, Map<AnySchema, string>>();

  constructor(direction: 'request' | 'reply', follow: Follow) {
    this.direction = direction;
    this.follow = follow;
  }

  /** @throws ContractError for a schema that is not kept where it stands */
  schema(schema: AnySchema, at: Place = ELSEWHERE): unknown {
    if (typeof schema === 'boolean') return schema;
    this.requirePlace(schema, at);
    requireSingleRecursion(schema, this.follow);
    const place = { ...at, barred: [...new Set([...at.barred, ...this.barredMembers(schema)])].sort() };
    const shown: Record<string, unknown> = {};
    const exact: Record<string, unknown> = {};
    const also: unknown[] = [];
    // Where a branch has evaluated nothing, Ajv fails to count what patterns evaluate beside it.
    const members: Record<string, unknown> = schema.patternProperties === undefined ? shown : {};
    if (members !== shown) also.push(this.apart(members));
    const { discriminator, type, format = '', if: condition } = schema;
    const union = discriminator && (schema.oneOf === undefined ? 'anyOf' : 'oneOf');
    const has = (name: string) => !place.barred.includes(name);
    for (const [keyword, value] of Object.entries(schema)) {
      const inner = innerPlace(place, keyword);
      const shownOf = (each: AnySchema) => {
        const translated = this.schema(each, inner);
        return BRANCHES.includes(keyword) ? this.apart(translated) : translated;
      };
      const to = MEMBERS.includes(keyword) ? members : shown;
      const { holds } = VOCABULARY.Schema[keyword] ?? {};
      if (keyword === '$ref') shown['$ref'] = this.reference(this.follow(value as string), place);
      else if (keyword === union) also.push(...this.choice(schema, schema[union] ?? [], shownOf));
      else if (keyword === 'if') shown['if'] = { anyOf: [shownOf(value as AnySchema)] };
      else if (keyword === 'dependentSchemas') {
        for (const [name, each] of Object.entries(value as Record<string, AnySchema>))
          also.push({ if: { type: 'object', required: [name] }, then: shownOf(each) });
      } else if (holds?.in === 'map') to[keyword] = this.map(value as Record<string, AnySchema>, inner);
      else if (holds?.in === 'list') shown[keyword] = (value as AnySchema[]).map(shownOf);
      else if (holds?.kind === 'Schema') to[keyword] = shownOf(value as AnySchema);
      else if (keyword === 'required') shown['required'] = (value as string[]).filter(has);
      else if (keyword === 'dependentRequired') shown['dependentRequired'] = onlyWith(has, value as Dependents);
      else if (PLAIN.test(keyword)) shown[keyword] = value;
      else if (EXACT.includes(keyword)) exact[keyword] = value;
    }
    // The type of a number is judged with it, and so are types beside it.
    const isOfNumbers = [type].flat().some((each) => each === 'integer' || each === 'number');
    if (type !== undefined) (isOfNumbers ? exact : shown)['type'] = type;
    if (format !== '') (OF_NUMBERS.test(format) ? exact : shown)['format'] = format;
    // Ajv takes an `if` that has neither for one that says nothing, also of which members it evaluates.
    if (condition !== undefined) for (const each of ['then', 'else']) shown[each] ??= { not: false };
    // Ajv takes them for evaluated: it looks each name up in an ordinary object.
    if ((schema.unevaluatedProperties ?? true) !== true) also.push({ propertyNames: { not: { enum: INHERITED } } });
    if (also.length > 0) shown['allOf'] = [...((shown['allOf'] ?? []) as unknown[]), ...also];
    Object.assign(shown, this.exact(exact));
    if (schema.default !== undefined) this.defaults.set(schema, shown);
    return shown;
  }

  private map(schemas: Readonly<Record<string, AnySchema>>, place: Place): Record<string, unknown> {
    const shown = (each: AnySchema) =>
      place.of === 'a member' && this.isBarred(each) ? false : this.schema(each, place);
    return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shown(each)]));
  }

  /** The keywords that stand for those of exact.ts. */
  private exact(keywords: object): object {
    const key = exactJson(keywords);
    let names = this.known.get(key);
    if (names === undefined) {
      names = exactChecks(keywords).map((check) => `exact${this.checks.push(check) - 1}`);
      this.known.set(key, names);
    }
    return Object.fromEntries(names.map((name) => [name, true]));
  }

  private barredMembers(schema: Schema): string[] {
    return joined([schema], this.follow).flatMap(({ properties = {} }) =>
      Object.keys(properties).filter((name) => this.isBarred(properties[name])),
    );
  }

  /** Whether no value may be sent in this direction. */
  private isBarred(schema: AnySchema = true): boolean {
    return joined([schema], this.follow).some(({ readOnly = false, writeOnly = false }) =>
      this.direction === 'request' ? readOnly : writeOnly,
    );
  }

  /** A reference in the translation. What it leads to is translated once for all places of a kind. */
  private reference(target: AnySchema, place: Place): string {
    if (typeof target === 'object') this.requirePlace(target, place);
    if (place.within.includes(target))
      throw new ContractError(`${locationOf(target)}: a schema cannot refer to itself for the same value`);
    const key = [place.isConditional, place.isTyped, ...place.barred].join();
    const known = this.references.get(key) ?? new Map<AnySchema, string>();
    this.references.set(key, known);
    let name = known.get(target);
    if (name === undefined) {
      name = this.nextName();
      known.set(target, name);
      // Of which value it is, is seen above, for each reference.
      this.add(name, this.schema(target, { ...place, of: 'a member', within: [...place.within, target] }));
    }
    return name;
  }

  /** A schema that Ajv compiles by itself: what it evaluates counts where it holds. @returns a reference to it */
  private apart(translated: unknown): unknown {
    if (typeof translated === 'boolean') return translated;
    const name = this.nextName();
    this.add(name, translated);
    return { $ref: name };
  }

  /** By its `$id`, Ajv compiles a schema once for all that refer to it. */
  private add(name: string, translated: unknown): void {
    this.components[name] = { $id: name, allOf: [translated] };
  }

  private names = 0;
  private nextName(): string {
    return `urn:${this.direction}:${this.names++}`;
  }

  /**
   * The branches of oneOf or anyOf, each for the values of the discriminator that it is for. Each value is judged by one
   * branch: where branches contain each other, judging it by each would take twice as long with each level.
   */
  private choice(schema: Schema, branches: readonly AnySchema[], shownOf: (branch: AnySchema) => unknown): unknown[] {
    const { propertyName = '' } = schema.discriminator ?? {};
    const pins = branches.map((branch) => ({ branch, values: pinnedValues(schema, branch, this.follow) }));
    const having = (values: readonly string[]) => ({
      type: 'object',
      required: [propertyName],
      properties: { [propertyName]: this.exact({ enum: values }) },
    });
    const all = pins.flatMap(({ values }) => values);
    if (new Set(all).size < all.length)
      throw new ContractError(
        `${locationOf(schema.discriminator)}: a value of ${propertyName} is that of two branches`,
      );
    return [having(all), ...pins.map(({ branch, values }) => ({ if: having(values), then: shownOf(branch) }))];
  }

  private requirePlace(schema: Schema, place: Place): void {
    const { readOnly = false, writeOnly = false, format, discriminator, oneOf, anyOf } = schema;
    const refuse = (what: string) => {
      throw new ContractError(`${locationOf(schema)}: ${what}`);
    };
    if ((readOnly || writeOnly) && place.of !== 'a member')
      refuse('readOnly and writeOnly are kept for members of objects: write them beside the $ref in properties');
    if (format === 'int64' && !place.isTyped)
      refuse(`format: int64 is kept where TypeScript sees it, not beneath ${UNTYPED.join(', ')}: leave the format out`);
    if (discriminator !== undefined && oneOf === undefined && anyOf === undefined)
      refuse('a discriminator must stand beside oneOf or anyOf');
    if (schema.default === undefined || this.direction === 'reply') return;
    if (place.of === 'another value')
      refuse('a default is filled in for parameters and for members of objects: leave it out');
    if (place.isConditional)
      refuse(`a default is filled in for all requests: it cannot stand beneath ${CONDITIONAL.join(', ')}`);
  }
}

function innerPlace(place: Place, keyword: string): Place {
  const isSame = IN_PLACE.includes(keyword);
  return {
    of: keyword === 'properties' ? 'a member' : 'another value',
    isConditional: place.isConditional || CONDITIONAL.includes(keyword),
    isTyped: place.isTyped && !UNTYPED.includes(keyword),
    within: isSame ? place.within : [],
    barred: isSame ? place.barred : [],
  };
}

type Dependents = Readonly<Record<string, readonly string[]>>;

function onlyWith(has: (name: string) => boolean, dependents: Dependents): Dependents {
  return Object.fromEntries(Object.entries(dependents).map(([name, each]) => [name, each.filter(has)]));
}

/**
 * The values of the discriminator by which a branch is chosen. A discriminator must not change what is valid (OpenAPI 3.1,
 * section 4.8.25): so each branch must demand these values itself.
 *
 * @throws ContractError if it does not
 */
function pinnedValues({ discriminator }: Schema, branch: AnySchema, follow: Follow): readonly string[] {
  const { propertyName = '', mapping = {} } = discriminator ?? {};
  const refuse = (what: string): never => {
    throw new ContractError(`${locationOf(discriminator)}: ${what}`);
  };
  const reference = typeof branch === 'object' ? branch.$ref : undefined;
  if (reference === undefined) return refuse('beside a discriminator, each branch must be a $ref');
  const name = reference.replace(/^.*\//, '');
  const mapped = Object.entries(mapping).filter(([, target]) => target === reference || target === name);
  const values = mapped.length > 0 ? mapped.map(([value]) => value) : [name];
  const schemas = joined([branch], follow);
  const pinned = schemas.flatMap(({ properties = {} }) =>
    joined([properties[propertyName] ?? true], follow).map((each) => ('const' in each ? [each.const] : each.enum)),
  );
  const isPinned =
    schemas.some(({ required = [] }) => required.includes(propertyName)) &&
    pinned.some((each) => each !== undefined && new Set(values).symmetricDifference(new Set(each)).size === 0);
  if (isPinned) return values;
  const value = values.length === 1 ? `const: ${values.join()}` : `enum: [${values.join(', ')}]`;
  return refuse(`${reference} must require ${propertyName}, and pin it by ${value}, as the discriminator says`);
}
