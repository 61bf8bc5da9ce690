const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
/** Most literals: nothing to expand, and too few digits to be out of range. */
const PLAIN = /^-?[1-9][0-9]{0,17}$/;
const LITERAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Why a number is no int64. Each is also the double that the validator sees in its place, and objects to. */
export const NOT_AN_INTEGER = 0.5;
export const OUT_OF_RANGE = 1e300;

/**
 * The exact value of a JSON number (RFC 8259, section 6) that is an integer by JSON Schema (2020-12, section 6.1.1:
 * `1.0` and `12e3` are) and fits 64 bits; otherwise the reason why not.
 */
export function int64(literal: string): bigint | typeof NOT_AN_INTEGER | typeof OUT_OF_RANGE {
  if (PLAIN.test(literal)) return BigInt(literal);
  const [, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (sign === undefined) return NOT_AN_INTEGER;
  const significant = (whole + fraction).replace(/^0+/, '');
  if (significant === '') return 0n;
  // By hand: for /0+$/ a text with many zeros inside takes quadratic time.
  let end = significant.length;
  while (significant[end - 1] === '0') end--;
  const digits = significant.slice(0, end);
  // The value is the digits times ten to the power of `scale`. It is bounded before it is written out: `1e999999999`
  // would fill the memory.
  const scale = Number(exponent) - fraction.length + (significant.length - end);
  if (scale < 0) return NOT_AN_INTEGER;
  if (end + scale > 19) return OUT_OF_RANGE;
  const value = BigInt(sign + digits + '0'.repeat(scale));
  return isInt64(value) ? value : OUT_OF_RANGE;
}

export function isInt64(value: bigint): boolean {
  return value >= MIN && value <= MAX;
}

/**
 * The double that the validator, which knows doubles only, sees in place of an int64. Rounding keeps the order, so
 * bounds within ±2^53 are judged exactly; positions.ts refuses contracts with others.
 */
export function nearestDouble(value: bigint): number {
  return isInt64(value) ? Number(value) : OUT_OF_RANGE;
}

/** The `int64` format of such doubles; `type: integer` says the rest. 2^63 − 1 rounds to 2^63, so that belongs to it. */
export function isWithinInt64(value: number): boolean {
  return Math.abs(value) <= 2 ** 63;
}

/** Members by name, or items by index. */
export type Holder = Record<string | number, unknown>;

/** A place where the validator sees a double; and the value that belongs there, which the double rounds. */
export interface Rounded {
  readonly holder: Holder;
  readonly key: string | number;
  readonly value: unknown;
}

/** Puts the exact values in their places, once the validator has found the doubles valid. */
export function putExact(rounded: readonly Rounded[]): void {
  for (const { holder, key, value } of rounded) holder[key] = value;
}

/** The value as JSON, with each bigint digit by digit: JSON.stringify refuses them, and would round numbers. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each,
  );
}
