import { targetOf } from '../../src/contract/document.ts';
import { STRING_FORMATS } from '../../src/contract/formats.ts';
import { decimal, equal, isNumber, isObject, lengthOf } from './values.ts';

/** The keywords of JSON Schema 2020-12 and OpenAPI that this proof knows. */
export interface Keywords {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly multipleOf?: number | bigint;
  readonly maximum?: number | bigint;
  readonly exclusiveMaximum?: number | bigint;
  readonly minimum?: number | bigint;
  readonly exclusiveMinimum?: number | bigint;
  readonly maxLength?: number;
  readonly minLength?: number;
  readonly pattern?: string;
  readonly maxItems?: number;
  readonly minItems?: number;
  readonly uniqueItems?: boolean;
  readonly maxContains?: number;
  readonly minContains?: number;
  readonly maxProperties?: number;
  readonly minProperties?: number;
  readonly required?: readonly string[];
  readonly dependentRequired?: Readonly<Record<string, readonly string[]>>;
  readonly prefixItems?: readonly Schema[];
  readonly items?: Schema;
  readonly contains?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema;
  readonly unevaluatedProperties?: Schema;
  readonly propertyNames?: Schema;
  readonly dependentSchemas?: Readonly<Record<string, Schema>>;
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly readOnly?: boolean;
  readonly writeOnly?: boolean;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: readonly unknown[];
}
export type Schema = Keywords | boolean;

/** A request has no `readOnly` members, and a reply no `writeOnly` ones. An example may have both: `either`. */
export type Direction = 'request' | 'reply' | 'either';

/** Receives each keyword that applies to a value, and whether the value keeps it. */
export type Heard = (schema: Keywords, keyword: string, holds: boolean) => boolean;

/** Validates values by JSON Schema 2020-12, exactly, and shares no code with the validator that it checks. */
export class Judge {
  private readonly document: object;
  private readonly direction: Direction;
  private readonly targets = new Map<string, Schema>();
  private readonly known = new Map<Keywords, readonly string[]>();

  constructor(document: object, direction: Direction) {
    this.document = document;
    this.direction = direction;
  }

  /** @param heard is called for each keyword, and returns whether the judge shall count it as kept */
  isValid(schema: Schema, value: unknown, heard: Heard = (_schema, _keyword, holds) => holds): boolean {
    return this.apply(schema, value, heard, []) !== undefined;
  }

  /** Returns `false` for a member that this direction leaves out. */
  memberSchema(schema: Schema): Schema {
    return this.leavesOut(schema) ? false : schema;
  }

  private leavesOut(schema: Schema): boolean {
    return this.joined(schema).some(({ readOnly = false, writeOnly = false }) =>
      this.direction === 'request' ? readOnly : this.direction === 'reply' && writeOnly,
    );
  }

  /** The schema with the schemas in its `$ref` and `allOf`. */
  private joined(schema: Schema): readonly Keywords[] {
    if (typeof schema === 'boolean') return [];
    const { $ref, allOf = [] } = schema;
    const others = [...($ref === undefined ? [] : [this.follow($ref)]), ...allOf];
    return [schema, ...others.flatMap((each) => this.joined(each))];
  }

  /**
   * The members that this direction leaves out.
   *
   * @param around those that the schemas around this one, for the same value, leave out
   */
  barred(schema: Keywords, around: readonly string[]): readonly string[] {
    if (this.direction === 'either') return [];
    const own =
      this.known.get(schema) ??
      this.joined(schema).flatMap(({ properties = {} }) =>
        Object.keys(properties).filter((name) => this.leavesOut(properties[name] ?? true)),
      );
    this.known.set(schema, own);
    return own.length === 0 ? around : [...new Set([...around, ...own])];
  }

  follow(reference: string): Schema {
    // Loading the contract has checked that each reference leads to a schema.
    const target = this.targets.get(reference) ?? (targetOf(this.document, reference) as Schema);
    this.targets.set(reference, target);
    return target;
  }

  /** @returns the evaluated members (for `unevaluatedProperties`), or undefined if the value is not valid */
  private apply(schema: Schema, value: unknown, heard: Heard, around: readonly string[]): Set<string> | undefined {
    const seen = new Set<string>();
    if (typeof schema === 'boolean') return schema ? seen : undefined;
    const barred = this.barred(schema, around);
    let valid = true as boolean;
    const say = (keyword: keyof Keywords, holds: boolean) => {
      if (!heard(schema, keyword, holds)) valid = false;
    };
    const inPlace = (each: Schema): boolean => {
      const others = this.apply(each, value, heard, barred);
      others?.forEach((name) => seen.add(name));
      return others !== undefined;
    };
    // This visits every schema, because each may evaluate other members.
    const count = (schemas: readonly Schema[]) => schemas.map(inPlace).filter(Boolean).length;

    if (schema.$ref !== undefined) say('$ref', inPlace(this.follow(schema.$ref)));
    if (schema.allOf) say('allOf', count(schema.allOf) === schema.allOf.length);
    if (schema.anyOf) say('anyOf', count(schema.anyOf) > 0);
    if (schema.oneOf) say('oneOf', count(schema.oneOf) === 1);
    if (schema.not !== undefined) say('not', this.apply(schema.not, value, heard, barred) === undefined);
    if (schema.if !== undefined) {
      const keyword = inPlace(schema.if) ? 'then' : 'else';
      const branch = schema[keyword];
      if (branch !== undefined) say(keyword, inPlace(branch));
    }
    const { type, const: only, enum: values, format } = schema;
    const types = [type ?? []].flat();
    if (type !== undefined)
      say(
        'type',
        types.some((each) => isOfType(value, each)),
      );
    if (values)
      say(
        'enum',
        values.some((each) => equal(each, value)),
      );
    if (only !== undefined) say('const', equal(only, value));
    if (format !== undefined) say('format', isOfFormat(value, format));
    if (isNumber(value)) sayOfNumber(schema, value, say);
    if (typeof value === 'string') sayOfString(schema, value, say);
    if (Array.isArray(value)) this.sayOfArray(schema, value, say, heard);
    if (isObject(value)) this.sayOfObject(schema, value, say, heard, seen, inPlace, barred);
    return valid ? seen : undefined;
  }

  private sayOfArray(schema: Keywords, value: readonly unknown[], say: Say, heard: Heard): void {
    const { minItems, maxItems, uniqueItems, prefixItems, items, contains, minContains, maxContains } = schema;
    const count = (schemaOf: (at: number) => Schema, those: readonly unknown[]) =>
      those.filter((each, at) => this.isValid(schemaOf(at), each, heard)).length;
    if (minItems !== undefined) say('minItems', value.length >= minItems);
    if (maxItems !== undefined) say('maxItems', value.length <= maxItems);
    if (uniqueItems === true)
      say('uniqueItems', !value.some((each, at) => value.slice(0, at).some((other) => equal(each, other))));
    const first = value.slice(0, prefixItems?.length ?? 0);
    const rest = value.slice(first.length);
    if (prefixItems) say('prefixItems', count((at) => prefixItems[at] ?? true, first) === first.length);
    if (items !== undefined) say('items', count(() => items, rest) === rest.length);
    if (contains === undefined) return;
    const found = count(() => contains, value);
    say(minContains === undefined ? 'contains' : 'minContains', found >= (minContains ?? 1));
    if (maxContains !== undefined) say('maxContains', found <= maxContains);
  }

  private sayOfObject(
    schema: Keywords,
    value: Readonly<Record<string, unknown>>,
    say: Say,
    heard: Heard,
    seen: Set<string>,
    inPlace: (schema: Schema) => boolean,
    barred: readonly string[],
  ): void {
    const { properties = {}, patternProperties = {}, propertyNames, minProperties, maxProperties } = schema;
    const names = Object.keys(value);
    const has = (name: string) => Object.hasOwn(value, name);
    const present = <T>(each: Readonly<Record<string, T>>) =>
      Object.entries(each).flatMap(([name, dependent]) => (has(name) ? [dependent] : []));
    const every = (keyword: keyof Keywords, those: readonly string[], schemaOf: (name: string) => Schema) => {
      say(keyword, those.filter((name) => this.isValid(schemaOf(name), value[name], heard)).length === those.length);
      those.forEach((name) => seen.add(name));
    };
    if (minProperties !== undefined) say('minProperties', names.length >= minProperties);
    if (maxProperties !== undefined) say('maxProperties', names.length <= maxProperties);
    const isMet = (name: string) => has(name) || barred.includes(name);
    if (schema.required) say('required', schema.required.every(isMet));
    if (schema.dependentRequired) say('dependentRequired', present(schema.dependentRequired).flat().every(isMet));
    if (schema.dependentSchemas) say('dependentSchemas', present(schema.dependentSchemas).map(inPlace).every(Boolean));
    if (propertyNames !== undefined)
      say('propertyNames', names.filter((name) => this.isValid(propertyNames, name, heard)).length === names.length);
    const declared = names.filter((name) => Object.hasOwn(properties, name));
    if (schema.properties)
      every('properties', declared, (name) => !barred.includes(name) && (properties[name] ?? true));
    const described = new Set(declared);
    for (const [pattern, each] of Object.entries(patternProperties)) {
      const matching = names.filter((name) => new RegExp(pattern, 'u').test(name));
      every('patternProperties', matching, () => each);
      matching.forEach((name) => described.add(name));
    }
    const { additionalProperties, unevaluatedProperties } = schema;
    const others = names.filter((name) => !described.has(name));
    if (additionalProperties !== undefined) every('additionalProperties', others, () => additionalProperties);
    const unseen = names.filter((name) => !seen.has(name));
    if (unevaluatedProperties !== undefined) every('unevaluatedProperties', unseen, () => unevaluatedProperties);
  }
}

type Say = (keyword: keyof Keywords, holds: boolean) => void;

function sayOfNumber(schema: Keywords, value: bigint | number, say: Say): void {
  const { multipleOf, maximum, exclusiveMaximum, minimum, exclusiveMinimum } = schema;
  // JavaScript compares a bigint and a number exactly.
  if (maximum !== undefined) say('maximum', value <= maximum);
  if (exclusiveMaximum !== undefined) say('exclusiveMaximum', value < exclusiveMaximum);
  if (minimum !== undefined) say('minimum', value >= minimum);
  if (exclusiveMinimum !== undefined) say('exclusiveMinimum', value > exclusiveMinimum);
  if (multipleOf === undefined) return;
  const [one, unit] = [decimal(String(value)), decimal(String(multipleOf))];
  const scale = Math.max(one.scale, unit.scale);
  const [whole, part] = [one, unit].map((each) => each.digits * 10n ** BigInt(scale - each.scale)) as [bigint, bigint];
  say('multipleOf', whole % part === 0n);
}

function sayOfString({ minLength, maxLength, pattern }: Keywords, value: string, say: Say): void {
  if (minLength !== undefined) say('minLength', lengthOf(value) >= minLength);
  if (maxLength !== undefined) say('maxLength', lengthOf(value) <= maxLength);
  if (pattern !== undefined) say('pattern', new RegExp(pattern, 'u').test(value));
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    case 'integer':
      return typeof value === 'bigint';
    case 'number':
      return isNumber(value);
    default:
      return typeof value === type;
  }
}

export const BITS: Readonly<Record<string, bigint>> = { int32: 31n, int64: 63n };

function isOfFormat(value: unknown, format: string): boolean {
  const bits = BITS[format];
  if (bits !== undefined && isNumber(value))
    return typeof value === 'bigint' && value >= -(2n ** bits) && value < 2n ** bits;
  return typeof value !== 'string' || (STRING_FORMATS[format]?.(value) ?? true);
}
