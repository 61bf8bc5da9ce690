/** An exact JSON value: integers are bigint, other numbers are number. */
export type Json = null | boolean | bigint | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Compares by value (JSON Schema 2020-12, section 4.2.2): `1.0` equals `1`, `false` does not equal `0`. */
export function equal(one: unknown, other: unknown): boolean {
  if (isNumber(one) && isNumber(other)) return !(one < other) && !(one > other);
  if (Array.isArray(one) && Array.isArray(other))
    return one.length === other.length && one.every((each, at) => equal(each, other[at]));
  if (!isObject(one) || !isObject(other)) return one === other;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && equal(one[name], other[name]))
  );
}

/** Counts code points, as JSON Schema does. */
export function lengthOf(text: string): number {
  return text.length - (text.match(/[\ud800-\udbff][\udc00-\udfff]/g)?.length ?? 0);
}

const LITERAL = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/;

/** Returns all digits of a number, and how many of them follow the decimal point. */
export function decimal(literal: string): { readonly digits: bigint; readonly scale: number } {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(sign + whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

/** Reads a number: an integer, also `1.0`, becomes a bigint. */
export function numberOf(literal: string): bigint | number {
  const { digits, scale } = decimal(literal);
  const unit = 10n ** BigInt(scale);
  return digits % unit === 0n ? digits / unit : Number(literal);
}

/** Converts a value of JSON.parse or of the YAML parser. */
export function fromDocument(value: unknown): Json {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromDocument);
  if (!isObject(value)) return value as Json;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromDocument(each)]));
}

const parse = JSON.parse as (
  text: string,
  reviver: (name: string, value: unknown, context: { readonly source: string }) => unknown,
) => Json;

/** @throws SyntaxError */
export function read(text: string): Json {
  return parse(text, (_name, value, { source }) => (typeof value === 'number' ? numberOf(source) : value));
}

/**
 * Writes JSON.
 *
 * @param choices numbers, used in turn, that select the spelling of numbers, escapes, white space and the order of
 *   members; without any, the spelling of JSON.stringify
 */
export function write(value: Json, choices: readonly number[] = []): string {
  if (choices.length === 0)
    return JSON.stringify(value, (_name, each: unknown) =>
      typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each,
    );
  let used = 0;
  const choose = <T>(...variants: readonly [T, ...T[]]): T =>
    variants[(choices[used++ % choices.length] ?? 0) % variants.length] ?? variants[0];
  const space = () => choose('', '', ' ', '\n\t', '\r\n');
  const around = (open: string, parts: readonly string[], close: string) =>
    `${open}${space()}${parts.map((part) => part + space()).join(`,${space()}`)}${close}`;
  const written = (each: Json): string => {
    if (typeof each === 'bigint') return choose(...spellings(each));
    if (typeof each === 'string') return spellString(each, choose(0, 0, 1, 2));
    if (Array.isArray(each)) return around('[', (each as readonly Json[]).map(written), ']');
    if (!isObject(each)) return JSON.stringify(each);
    const members = Object.entries(each).map(
      ([name, member]) => `${spellString(name, choose(0, 0, 1))}${space()}:${space()}${written(member)}`,
    );
    return around('{', choose(members, members.toReversed()), '}');
  };
  return `${space()}${written(value)}${space()}`;
}

/** @param escaped none, the first character, or all characters */
function spellString(text: string, escaped: 0 | 1 | 2): string {
  const count = [0, 1, text.length][escaped];
  const start = Array.from({ length: Math.min(count ?? 0, text.length) }, (_, at) => text.charCodeAt(at));
  // If the first character is half of a surrogate pair, JSON.stringify escapes the other half.
  return `"${start.map((code) => `\\u${code.toString(16).padStart(4, '0')}`).join('')}${JSON.stringify(text.slice(start.length)).slice(1)}`;
}

/** Spellings of the same integer by JSON Schema (2020-12, section 6.1.1). */
function spellings(value: bigint): [string, ...string[]] {
  if (value === 0n) return ['0', '-0', '0.0', '0e0', '-0.000E+00', '0e-1', '0e999'];
  const plain = String(value);
  const [, sign = '', digits = ''] = /^(-?)(\d+)$/.exec(plain) ?? [];
  return [
    plain,
    `${plain}.0`,
    `${plain}e0`,
    `${plain}.000E+00`,
    `${plain}0e-1`,
    `${sign}0.${digits}e${digits.length}`,
    `${sign}${digits.charAt(0)}.${digits.slice(1)}0E+${digits.length - 1}`,
  ];
}

export function withMember(object: JsonObject, name: string, member: Json): JsonObject {
  // In an object literal, `__proto__` would set the prototype.
  return Object.fromEntries([...Object.entries(object), [name, member]]);
}

export function without(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}
