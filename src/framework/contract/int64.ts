const MIN = -(2n ** 63n);
const MAX = 2n ** 63n - 1n;
/** Matches an integer without an exponent that has too few digits to be out of range. */
const PLAIN = /^-?[1-9][0-9]{0,17}$/;
const LITERAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** Undefined: no int64. `1.0` and `12e3` are integers (JSON Schema 2020-12, section 6.1.1). */
export function int64(literal: string): bigint | undefined {
  if (PLAIN.test(literal)) return BigInt(literal);
  const [, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (sign === undefined) return undefined;
  const significant = (whole + fraction).replace(/^0+/, '');
  if (significant === '') return 0n;
  // /0+$/ would take quadratic time for a text with many zeros inside.
  let end = significant.length;
  while (significant[end - 1] === '0') end--;
  const digits = significant.slice(0, end);
  // The value is digits × 10 ** scale. The bound comes first: `1e999999999` would fill the memory.
  const scale = Number(exponent) - fraction.length + (significant.length - end);
  if (scale < 0 || end + scale > 19) return undefined;
  const value = BigInt(sign + digits + '0'.repeat(scale));
  return isInt64(value) ? value : undefined;
}

export function isInt64(value: bigint): boolean {
  return value >= MIN && value <= MAX;
}

/** RFC 8259, section 6. */
export function isJsonNumber(text: string): boolean {
  return LITERAL.test(text);
}

/** A number that is no int64 becomes a double, which the validator refuses where an int64 must stand. */
export function toNumber(literal: string, isInt64: boolean): number | bigint {
  return (isInt64 ? int64(literal) : undefined) ?? Number(literal);
}

/** JSON.stringify for values with bigints. With a replacer it would take twice the time. */
export function exactJson(value: unknown): string {
  return written(value) ?? 'null';
}

/** Undefined: a value that JSON does not have, such as a missing member. */
function written(value: unknown): string | undefined {
  if (typeof value === 'bigint') return String(value);
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return written((value as { toJSON: () => unknown }).toJSON());
  if (Array.isArray(value)) return `[${Array.from(value, (each) => written(each) ?? 'null').join()}]`;
  let members = '';
  for (const name of Object.keys(value)) {
    const text = written((value as Readonly<Record<string, unknown>>)[name]);
    if (text !== undefined) members += `${members === '' ? '' : ','}${JSON.stringify(name)}:${text}`;
  }
  return `{${members}}`;
}
