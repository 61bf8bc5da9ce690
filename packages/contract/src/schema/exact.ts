import { hash } from 'node:crypto';
import { spend } from './budget.ts';
import { type Decimal, decimal, exactJson, isInt64 } from './int64.ts';

/**
 * This file checks these keywords, because Ajv computes with doubles (two int64 may be equal, 19.99 is no multiple of
 * 0.01) and cannot compare the objects of json.ts, which have no prototype.
 */
export interface ExactKeywords {
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly minimum?: number | bigint;
  readonly maximum?: number | bigint;
  readonly exclusiveMinimum?: number | bigint;
  readonly exclusiveMaximum?: number | bigint;
  readonly multipleOf?: number | bigint;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly uniqueItems?: boolean;
}

/** @param isPart tells whether an item or a member of the value is valid by the schema of the component `part` */
export type IsValid = (value: unknown, isPart: (part: unknown) => boolean) => boolean;

/** This file also checks the types and formats of numbers. */
export const EXACT_KEYWORD = /^(?:(?:max|min)imum|exclusive(?:Max|Min)imum|multipleOf|enum|const|uniqueItems)$/;

/** The keywords that a check may replace, in the order in which Ajv applies them: it would pass over another one. */
export const CHECKED = [
  ...(['contains', 'oneOf', 'anyOf', 'required', 'pattern', 'format', 'type', 'minimum', 'maximum'] as const),
  ...(['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'const', 'enum', 'uniqueItems'] as const),
];

export interface ExactCheck {
  readonly keyword: (typeof CHECKED)[number];
  /** The value of the keyword, if the words of a fault depend on it. */
  readonly wanted?: unknown;
  readonly message: string;
  /** For a pattern, the regular expression that texts must match. */
  readonly isValid: RegExp | IsValid;
  readonly part?: string;
}

type IsNumberValid = (value: number | bigint) => boolean;

/** See OpenAPI's format registry. */
export const NUMBER_FORMATS: Readonly<Record<string, IsNumberValid>> = {
  int32: (value) => isInteger(value) && value >= -(2 ** 31) && value < 2 ** 31,
  // An integer that is not a bigint was out of range or rounded. `type` refuses a fraction.
  int64: (value) => (typeof value === 'bigint' ? isInt64(value) : Number.isFinite(value) && !Number.isInteger(value)),
  float: (value) => Math.abs(Number(value)) <= 3.4028234663852886e38,
  double: () => true,
};

const AN_INT64 = 'must be an integer from -9223372036854775808 to 9223372036854775807';

/** Each check accepts all values of the types to which its keyword does not apply. */
export function exactChecks(keywords: ExactKeywords): ExactCheck[] {
  const checks: ExactCheck[] = [];
  const add = (keyword: keyof ExactKeywords, message: string, isValid: (value: unknown) => boolean) => {
    checks.push({ keyword, wanted: keywords[keyword], message, isValid });
  };
  const addOfNumbers = (keyword: keyof ExactKeywords, message: string, isValid: IsNumberValid) => {
    add(keyword, message, (value) => !isNumber(value) || isValid(value));
  };
  const { type, format = '', minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = keywords;
  const inFormat = NUMBER_FORMATS[format] ?? (() => true);
  if (format !== '') addOfNumbers('format', format === 'int64' ? AN_INT64 : `must match format "${format}"`, inFormat);
  if (type !== undefined) {
    const types = [type].flat();
    // One fault is enough for a number that fails its format.
    const isOther = (value: unknown) => isNumber(value) && !inFormat(value);
    add('type', `must be ${types.join(',')}`, (value) => isOther(value) || types.some((each) => isOfType(value, each)));
  }
  if (minimum !== undefined) addOfNumbers('minimum', `must be at least ${minimum}`, (value) => value >= minimum);
  if (maximum !== undefined) addOfNumbers('maximum', `must be at most ${maximum}`, (value) => value <= maximum);
  if (exclusiveMinimum !== undefined)
    addOfNumbers('exclusiveMinimum', `must be > ${exclusiveMinimum}`, (value) => value > exclusiveMinimum);
  if (exclusiveMaximum !== undefined)
    addOfNumbers('exclusiveMaximum', `must be < ${exclusiveMaximum}`, (value) => value < exclusiveMaximum);
  if (multipleOf !== undefined) {
    const divisor = decimal(String(multipleOf));
    const areSafe = (value: number | bigint) => Number.isSafeInteger(value) && Number.isSafeInteger(multipleOf);
    // Safe integers are divided as doubles, as decimal arithmetic takes ten times as long.
    addOfNumbers('multipleOf', `must be multiple of ${multipleOf}`, (value) =>
      areSafe(value) ? Number(value) % Number(multipleOf) === 0 : isMultiple(value, divisor),
    );
  }
  if ('const' in keywords) add('const', `must be ${exactJson(keywords.const)}`, isOneOf([keywords.const]));
  if (keywords.enum !== undefined) {
    const shown = keywords.enum.map((each) => (typeof each === 'string' ? each : exactJson(each)));
    add('enum', `must be equal to one of the allowed values: ${shown.join(', ')}`, isOneOf(keywords.enum));
  }
  if (keywords.uniqueItems === true) {
    add('uniqueItems', 'must not have two equal items', (value) => !Array.isArray(value) || areUnique(value));
  }
  return checks;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

export function isInteger(value: unknown): boolean {
  return typeof value === 'bigint' || Number.isInteger(value);
}

/** JSON Schema 2020-12, section 4.2.1: an integer is any number without a fraction, `1.0` too. */
export function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return isInteger(value);
    case 'number':
      return typeof value === 'bigint' || Number.isFinite(value);
    case 'null':
      return value === null;
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isObject(value);
    default:
      return typeof value === type;
  }
}

function isMultiple(value: number | bigint, by: Decimal | undefined): boolean {
  const dividend = decimal(String(value));
  if (dividend === undefined || by === undefined) return false;
  const scale = Math.min(dividend.scale, by.scale);
  const units = ({ digits, scale: own }: Decimal) => BigInt(digits) * 10n ** BigInt(own - scale);
  return units(dividend) % units(by) === 0n;
}

function isOneOf(values: readonly unknown[]): (value: unknown) => boolean {
  const large = values.filter(isLarge);
  const small = new Set(values.filter((value) => !isLarge(value)).map(canonical));
  // A client may send a large value: the comparison ends at the first difference.
  return (value) => (isLarge(value) ? large.some((each) => areEqual(value, each)) : small.has(textOf(value)));
}

/** Whether the value is an object of JSON: an array is none. */
export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isLarge(value) && !Array.isArray(value);
}

export function isLarge(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** JSON Schema 2020-12, section 4.2.2. A member that is undefined counts as missing. */
export function areEqual(one: unknown, other: unknown): boolean {
  if (!isLarge(one) || !isLarge(other)) return isLarge(one) === isLarge(other) && textOf(one) === canonical(other);
  const [members, others] = [sentMembers(one), sentMembers(other)];
  spend(3 * members.length + others.length);
  // A different number of members ends the comparison, so that the smaller value bounds the work.
  if (Array.isArray(one) !== Array.isArray(other) || members.length !== others.length) return false;
  const values = new Map(others);
  return members.every(([name, value]) => values.has(name) && areEqual(value, values.get(name)));
}

export function areUnique(items: readonly unknown[]): boolean {
  spend(COMPARISON * items.length);
  const seen = new Set<string>();
  return items.every((each) => seen.size < seen.add(textOf(each)).size);
}

/** The canonical text of a part of a message. */
function textOf(value: unknown): string {
  if (typeof value === 'string') spend(value.length / 40);
  return canonical(value);
}

/** The same text for all equal values (JSON Schema 2020-12, section 4.2.2), such as `1`, `1.0` and `1n`. */
function canonical(value: unknown): string {
  // BigInt would write an integer such as 1e300 with hundreds of digits.
  if (isNumber(value))
    return isInteger(value) && Math.abs(Number(value)) < 2 ** 64 ? String(BigInt(value)) : String(value);
  return isLarge(value) ? canonicalParts(value) : JSON.stringify(value);
}

const MAX_TEXT = 64;
/** The work to make the text of an item or a member. */
const COMPARISON = 6;
/** Of the verdict under way, as budget.ts says. */
let texts: WeakMap<object, string> | undefined;

/** Call this before a value is checked: between two checks, values may change. */
export function forgetTexts(): void {
  texts = undefined;
}

/**
 * Keeps the text of each part, as `uniqueItems` may need it at each level of a value. A hash replaces a long text, so
 * that texts do not grow from level to level.
 */
function canonicalParts(value: object): string {
  texts ??= new WeakMap();
  let text = texts.get(value);
  if (text === undefined) {
    spend(COMPARISON * Object.keys(value).length);
    text = Array.isArray(value)
      ? `[${value.map(textOf).join()}]`
      : `{${sentMembers(value)
          .map(([name, each]) => `${JSON.stringify(name)}:${textOf(each)}`)
          .sort()
          .join()}}`;
    if (text.length > MAX_TEXT) text = hash('sha256', text);
    texts.set(value, text);
  }
  return text;
}

function sentMembers(value: object): [string, unknown][] {
  return Object.entries(value).filter(([, each]) => each !== undefined);
}
