const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
/** Most literals: nothing to expand, and too few digits to be out of range. */
const PLAIN = /^-?[1-9][0-9]{0,17}$/;
const LITERAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/**
 * The exact value of a JSON number (RFC 8259, section 6) that is an integer by JSON Schema (2020-12, section 6.1.1:
 * `1.0` and `12e3` are) and fits 64 bits; undefined: it is no int64.
 */
export function int64(literal: string): bigint | undefined {
  if (PLAIN.test(literal)) return BigInt(literal);
  const [, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (sign === undefined) return undefined;
  const significant = (whole + fraction).replace(/^0+/, '');
  if (significant === '') return 0n;
  // By hand: for /0+$/ a text with many zeros inside takes quadratic time.
  let end = significant.length;
  while (significant[end - 1] === '0') end--;
  const digits = significant.slice(0, end);
  // The value is the digits times ten to the power of `scale`. It is bounded before it is written out: `1e999999999`
  // would fill the memory.
  const scale = Number(exponent) - fraction.length + (significant.length - end);
  if (scale < 0 || end + scale > 19) return undefined;
  const value = BigInt(sign + digits + '0'.repeat(scale));
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return value >= MIN && value <= MAX;
}

/** Whether a text is a number of JSON (RFC 8259, section 6). */
export function isJsonNumber(text: string): boolean {
  return LITERAL.test(text);
}

/**
 * The value of a JSON number: a bigint where an int64 stands that it is, otherwise the nearest double, which is what the
 * validator refuses there if no other schema takes it.
 */
export function toNumber(literal: string, isInt64: boolean): number | bigint {
  return (isInt64 ? int64(literal) : undefined) ?? Number(literal);
}

/** The value as JSON, with each bigint digit by digit: JSON.stringify refuses them, and would round numbers. */
export function exactJson(value: unknown): string {
  return JSON.stringify(value, (_name, each: unknown) =>
    typeof each === 'bigint' ? JSON.rawJSON(String(each)) : each,
  );
}
