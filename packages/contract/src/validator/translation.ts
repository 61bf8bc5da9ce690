import { type AnySchema, type Follow, locationOf, type Schema } from '../schema/document.ts';
import { ContractError } from '../contract-error.ts';
import {
  EXACT_KEYWORD,
  type ExactCheck,
  exactChecks,
  isObject,
  type IsValid,
  NUMBER_FORMATS,
} from '../schema/exact.ts';
import { spend } from '../schema/budget.ts';
import { exactJson } from '../schema/int64.ts';
import { joined, OF_MEMBERS } from '../schema/subschemas.ts';
import { unevaluated } from '../rules/declared.ts';
import { VOCABULARY } from '../rules/vocabulary.ts';
import { pinnedBranches } from './discriminator.ts';
import { exactly, INHERITED, SPEND } from './keywords.ts';
import { BRANCHES, type Direction, ELSEWHERE, innerPlace, type Place, requirePlace } from './place.ts';
import { CALL, type Weights, weightsOf } from './weights.ts';

/** Keywords that Ajv gets unchanged. */
const PLAIN = /^(?:pattern|(?:max|min)(?:Length|Items|Properties))$/;

/** Whether a branch demands members of an object, and nothing else. */
function onlyRequires(branch: AnySchema): boolean {
  if (typeof branch === 'boolean' || branch.required === undefined) return false;
  const others = Object.entries(branch).filter(([keyword]) => VOCABULARY.Schema[keyword]?.is !== 'shown');
  return others.every(([keyword, value]) => keyword === 'required' || (keyword === 'type' && value === 'object'));
}

/**
 * Rewrites the schemas that Ajv would validate wrongly. In requests, readOnly members are refused; in replies,
 * writeOnly ones. Defaults are left out: positions.ts fills them in.
 */
export class Translation {
  /** Translated messages, and targets of references, by name. */
  readonly components: Record<string, unknown> = {};
  /** The names of the components, in their order. */
  readonly names: string[] = [];
  /** In a translated schema `exact:enum`, and each keyword like it, has the index of its check in this list. */
  readonly checks: ExactCheck[] = [];
  /** The work of translated schemas: the value of SPEND is an index of this list. */
  readonly weights: Weights[] = [CALL];
  private readonly direction: Direction;
  private readonly follow: Follow;
  /** The results of `exact`, by the JSON of the keywords. */
  private readonly known = new Map<string, object>();
  /** Names of components, by the place of the reference and its target. */
  private readonly references = new Map<string, Map<AnySchema, string>>();
  /** Names of components that many messages share, by what they have in common. */
  readonly shared = new Map<unknown, string>();

  constructor(direction: Direction, follow: Follow) {
    this.direction = direction;
    this.follow = follow;
  }

  /** @throws ContractError for a schema that is not supported in its place */
  schema(schema: AnySchema, at: Place = ELSEWHERE): unknown {
    if (typeof schema === 'boolean') return schema;
    requirePlace(schema, at, this.direction);
    const place = { ...at, barred: [...new Set([...at.barred, ...this.barredMembers(schema)])].sort() };
    const shown: Record<string, unknown> = {};
    const exact: Record<string, unknown> = {};
    const also: unknown[] = [];
    // Beside a branch that evaluates no member, Ajv forgets which members the patterns evaluate.
    const members: Record<string, unknown> = schema.patternProperties === undefined ? shown : {};
    if (members !== shown) also.push(this.apart(members));
    const { discriminator, type, format = '', if: condition, 'x-pattern-message': told } = schema;
    const union = discriminator && (schema.oneOf === undefined ? 'anyOf' : 'oneOf');
    const has = (name: string) => !place.barred.includes(name);
    for (const [keyword, value] of Object.entries(schema)) {
      const inner = innerPlace(place, keyword);
      const shownOf = (each: AnySchema) => {
        const translated = this.schema(each, inner);
        return BRANCHES.includes(keyword) ? this.apart(translated) : translated;
      };
      // `additionalProperties` depends on `properties` and `patternProperties`, so the three stay in one schema.
      const to = OF_MEMBERS.includes(keyword) ? members : shown;
      const { holds } = VOCABULARY.Schema[keyword] ?? {};
      if (keyword === '$ref') shown['$ref'] = this.reference(this.follow(value as string), place);
      else if (keyword === union) also.push(...this.choice(schema, schema[union] ?? [], shownOf));
      else if (keyword === 'if') shown['if'] = { anyOf: [shownOf(value as AnySchema)] };
      else if (keyword === 'dependentSchemas') {
        for (const [name, each] of Object.entries(value as Record<string, AnySchema>))
          also.push({ if: { type: 'object', ...this.requiring([name]) }, then: shownOf(each) });
      } else if (keyword === 'contains') Object.assign(shown, this.containing(shownOf(value as AnySchema), schema));
      else if ((keyword === 'oneOf' || keyword === 'anyOf') && (value as AnySchema[]).every(onlyRequires))
        Object.assign(shown, this.choosing(keyword, value as Schema[], has));
      else if (holds?.in === 'map') to[keyword] = this.map(value as Record<string, AnySchema>, inner);
      else if (holds?.in === 'list') shown[keyword] = (value as AnySchema[]).map(shownOf);
      else if (holds?.kind === 'Schema') to[keyword] = shownOf(value as AnySchema);
      else if (keyword === 'required') Object.assign(shown, this.requiring((value as string[]).filter(has)));
      else if (keyword === 'dependentRequired') {
        // The validator itself would drop a rule for a member named `x-stoplight`.
        for (const [name, each] of Object.entries(value as Record<string, readonly string[]>))
          also.push({ if: { type: 'object', ...this.requiring([name]) }, then: this.requiring(each.filter(has)) });
      } else if (keyword === 'pattern' && told !== undefined)
        Object.assign(shown, this.matching(value as string, told));
      else if (PLAIN.test(keyword)) shown[keyword] = value;
      else if (EXACT_KEYWORD.test(keyword)) exact[keyword] = value;
    }
    // If `type` lists `integer` or `number`, exact.ts checks the whole keyword, and Ajv does not.
    const isOfNumbers = [type].flat().some((each) => each === 'integer' || each === 'number');
    if (type !== undefined) (isOfNumbers ? exact : shown)['type'] = type;
    if (format !== '') (Object.hasOwn(NUMBER_FORMATS, format) ? exact : shown)['format'] = format;
    // Ajv ignores an `if` without then and else, though the `if` evaluates members.
    if (condition !== undefined) for (const each of ['then', 'else']) shown[each] ??= { not: false };
    const names = unevaluated(schema, this.follow);
    if (names.length > 0) shown[INHERITED] = { names, part: this.component(shown['unevaluatedProperties']) };
    if (also.length > 0) shown['allOf'] = [...((shown['allOf'] ?? []) as unknown[]), ...also];
    Object.assign(shown, this.exact(exact));
    // Ajv does not visit the values of an empty schema.
    if (Object.keys(shown).length > 0) Object.assign(shown, this.spending(schema));
    return shown;
  }

  /** The keyword by which a translated schema spends the work that it takes. */
  spending(schema: Schema): object {
    return { [SPEND]: this.weights.push(weightsOf(schema, this.follow, this.direction === 'request')) - 1 };
  }

  private map(schemas: Readonly<Record<string, AnySchema>>, place: Place): Record<string, unknown> {
    const shown = (each: AnySchema) =>
      place.of === 'a member' && this.direction !== 'example' && this.isBarred(each) ? false : this.schema(each, place);
    return Object.fromEntries(Object.entries(schemas).map(([name, each]) => [name, shown(each)]));
  }

  /**
   * Ajv itself would keep an error for each item that does not count, and copy all of them for each `$ref`: a body of 64 KiB
   * took seconds, one of 1 MiB filled the memory (`test:attacks`).
   */
  private containing(wanted: unknown, { minContains = 1, maxContains = Infinity }: Schema): object {
    const most = maxContains === Infinity ? '' : ` and no more than ${maxContains}`;
    const message = `must contain at least ${minContains}${most} valid item(s)`;
    const part = this.component(wanted);
    const isValid: IsValid = (value, isWanted) => {
      if (!Array.isArray(value)) return true;
      let count = 0;
      for (const item of value) {
        spend(1);
        if (isWanted(item)) count++;
        if (count > maxContains) return false;
        if (count >= minContains && maxContains === Infinity) return true;
      }
      return count >= minContains;
    };
    return this.checked([{ keyword: 'contains', message, isValid, part }]);
  }

  /** Ajv would report a missing member of each branch, as if all were required. */
  private choosing(keyword: 'oneOf' | 'anyOf', branches: readonly Schema[], has: (name: string) => boolean): object {
    const choices = branches.map(({ required = [], type }) => ({ names: required.filter(has), type }));
    const listed = choices.map(({ names }) => names.join(' and ')).join(', ');
    const message = `must have ${keyword === 'oneOf' ? 'exactly' : 'at least'} one of these members: ${listed}`;
    const isValid: IsValid = (value) => {
      spend(choices.length);
      const fitting = choices.filter(({ names, type }) =>
        isObject(value)
          ? names.every((name) => Object.hasOwn(value, name) && value[name] !== undefined)
          : type === undefined,
      );
      return keyword === 'oneOf' ? fitting.length === 1 : fitting.length > 0;
    };
    return this.checked([{ keyword, message, isValid }]);
  }

  /** Ajv does not report a missing member whose name is ''. */
  private requiring(names: readonly string[]): object {
    if (!names.includes('')) return { required: names };
    const isValid = (value: unknown) => !isObject(value) || value[''] !== undefined;
    const check = { keyword: 'required' as const, message: "must have required property ''", isValid };
    return { required: names.filter(Boolean), ...this.checked([check]) };
  }

  /** Ajv reports the pattern, but not the schema in which its message stands. */
  private matching(pattern: string, message: string): object {
    return this.checked([{ keyword: 'pattern', wanted: pattern, message, isValid: new RegExp(pattern, 'u') }]);
  }

  /** Replaces the keywords that exact.ts checks. */
  private exact(keywords: object): object {
    return this.known.getOrInsertComputed(exactJson(keywords), () => this.checked(exactChecks(keywords)));
  }

  /** @returns the keywords by which a translated schema requires the checks */
  private checked(checks: readonly ExactCheck[]): object {
    return Object.fromEntries(checks.map((check) => [exactly(check.keyword), this.checks.push(check) - 1]));
  }

  private barredMembers(schema: Schema): string[] {
    return joined([schema], this.follow).flatMap(({ properties = {} }) =>
      Object.keys(properties).filter((name) => this.isBarred(properties[name])),
    );
  }

  /** Whether the value must not be sent in this direction; an example need not have it. */
  private isBarred(schema: AnySchema = true): boolean {
    return joined([schema], this.follow).some(
      ({ readOnly = false, writeOnly = false }) =>
        (readOnly && this.direction !== 'reply') || (writeOnly && this.direction !== 'request'),
    );
  }

  /** The name of the target in the translation. A target is translated once for all places of a kind. */
  private reference(target: AnySchema, place: Place): string {
    if (typeof target === 'object') requirePlace(target, place, this.direction);
    if (place.within.includes(target))
      throw new ContractError(
        'a schema must not refer to itself for the same value: refer to another one, or from a member',
        locationOf(target),
      );
    const key = [place.isConditional, place.isTyped, ...place.barred].join();
    const known = this.references.getOrInsertComputed(key, () => new Map());
    let name = known.get(target);
    if (name === undefined) {
      // Allows all until the target is translated: if the target is refused, other references to it still compile.
      name = this.component(true);
      known.set(target, name);
      // All places share the translation: requirePlace has checked this reference, and refuses nothing of 'a member'.
      this.component(this.schema(target, { ...place, of: 'a member', within: [...place.within, target] }), name);
    }
    return name;
  }

  /** Has Ajv compile a schema by itself, so that its evaluated members count only where it is valid. */
  private apart(translated: unknown): unknown {
    return typeof translated === 'boolean'
      ? translated
      : { $ref: this.component(translated), [SPEND]: this.weights.indexOf(CALL) };
  }

  /** Ajv compiles a schema with an `$id` once for all references. @returns the name of the component */
  component(translated: unknown, name = this.nextName()): string {
    this.components[name] = { $id: name, allOf: [translated] };
    return name;
  }

  private nextName(): string {
    const name = `urn:${this.direction}:${this.names.length}`;
    this.names.push(name);
    return name;
  }

  /** Applies only the chosen branch: to try all would double the time with each level of branches within branches. */
  private choice(schema: Schema, branches: readonly AnySchema[], shownOf: (branch: AnySchema) => unknown): unknown[] {
    const { propertyName = '' } = schema.discriminator ?? {};
    const pins = pinnedBranches(schema, branches, this.follow);
    const having = (values: readonly unknown[]) => ({
      type: 'object',
      ...this.requiring([propertyName]),
      properties: { [propertyName]: this.exact({ enum: values }) },
    });
    const all = pins.flatMap(({ values }) => values);
    return [having(all), ...pins.map(({ branch, values }) => ({ if: having(values), then: shownOf(branch) }))];
  }
}
