const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
/** Most literals: nothing to expand, and too few digits to be out of range. */
const PLAIN = /^-?[1-9][0-9]{0,17}$/;
const LITERAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Why a number is no int64. Each is also the double that stands for it before the validator, which then objects. */
export const NOT_AN_INTEGER = 0.5;
export const OUT_OF_RANGE = 1e300;

/**
 * The exact value of a JSON number (RFC 8259, section 6) that is an integer by JSON Schema (2020-12, section 6.1.1:
 * `1.0` and `12e3` are) and fits 64 bits; else the reason why not.
 */
export function int64(literal: string): bigint | typeof NOT_AN_INTEGER | typeof OUT_OF_RANGE {
  if (PLAIN.test(literal)) return BigInt(literal);
  const [, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (sign === undefined) return NOT_AN_INTEGER;
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === '0') start++;
  if (start === digits.length) return 0n;
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  // The value is digits[start, end) times ten to the power of `scale`. It is bounded before it is written out:
  // `1e999999999` would else fill the memory.
  const scale = Number(exponent) - fraction.length + (digits.length - end);
  if (scale < 0) return NOT_AN_INTEGER;
  if (end - start + scale > 19) return OUT_OF_RANGE;
  const value = BigInt(sign + digits.slice(start, end) + '0'.repeat(scale));
  return isInt64(value) ? value : OUT_OF_RANGE;
}

export function isInt64(value: bigint): boolean {
  return value >= MIN && value <= MAX;
}

/**
 * The double that stands for an int64 before the validator, which knows doubles only. Rounding keeps the order, so
 * bounds within ±2^53 are judged exactly; `positions.ts` refuses contracts with others.
 */
export function standIn(value: bigint): number {
  return isInt64(value) ? Number(value) : OUT_OF_RANGE;
}

/** The `int64` format over stand-ins; `type: integer` says the rest. 2^63 − 1 rounds to 2^63, so that belongs to it. */
export function isWithinInt64(value: number): boolean {
  return Math.abs(value) <= 2 ** 63;
}
