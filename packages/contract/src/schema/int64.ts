/** Matches an integer without an exponent that has too few digits to be out of range. */
const PLAIN = /^-?[1-9][0-9]{0,17}$/;
const LITERAL = /^(-?)(0|[1-9][0-9]*)(?:\.([0-9]+))?(?:[eE]([+-]?[0-9]+))?$/;

/** The value of a literal is digits × 10 ** scale. */
export interface Decimal {
  readonly sign: string;
  /** Without zeros at the ends: empty for 0. */
  readonly digits: string;
  readonly scale: number;
}

export function decimal(literal: string): Decimal | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = LITERAL.exec(literal) ?? [];
  if (sign === undefined) return undefined;
  const significant = (whole + fraction).replace(/^0+/, '');
  // /0+$/ would take quadratic time for a text with many zeros inside.
  let end = significant.length;
  while (significant[end - 1] === '0') end--;
  const scale = Number(exponent) - fraction.length + (significant.length - end);
  return { sign, digits: significant.slice(0, end), scale };
}

/** Undefined for a literal that is no int64. `1.0` and `12e3` are integers (JSON Schema 2020-12, section 6.1.1). */
export function int64(literal: string): bigint | undefined {
  if (PLAIN.test(literal)) return BigInt(literal);
  const value = decimal(literal);
  if (value === undefined) return undefined;
  const { sign, digits, scale } = value;
  if (digits === '') return 0n;
  // The bound comes first: `1e999999999` would fill the memory.
  if (scale < 0 || digits.length + scale > 19) return undefined;
  const integer = BigInt(sign + digits + '0'.repeat(scale));
  return isInt64(integer) ? integer : undefined;
}

/** Whether the literal is an integer that JSON would write with other digits after it has become this double. */
export function losesDigits(literal: string, double: number): boolean {
  if (Number.isSafeInteger(double) || !Number.isFinite(double)) return false;
  const [sent, kept] = [decimal(literal), decimal(String(double))];
  return sent !== undefined && sent.scale >= 0 && (sent.digits !== kept?.digits || sent.scale !== kept.scale);
}

export function isInt64(value: bigint): boolean {
  return BigInt.asIntN(64, value) === value;
}

/** RFC 8259, section 6. */
export function isJsonNumber(text: string): boolean {
  return LITERAL.test(text);
}

/** JSON.stringify returns undefined for a value that JSON lacks, which its type in TypeScript does not say. */
const stringify: (value: unknown) => string | undefined = JSON.stringify;

/**
 * JSON.stringify for values with bigints. With a replacer it would take three times as long.
 *
 * @throws Error for what JSON lacks
 */
export function exactJson(value: unknown): string {
  return stringify(writable(value)) ?? 'null';
}

/** The types of the values that JSON.stringify leaves out of an object, and writes as null in a list. */
const ABSENT: ReadonlySet<string> = new Set(['undefined', 'function', 'symbol']);

/** A copy whose bigints JSON.stringify can write. @param at where it stands: the name of a member, the index of an item */
function writable(value: unknown, at: string | number = ''): unknown {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`JSON has no ${value}`);
  if (typeof value === 'bigint')
    return Number.isSafeInteger(Number(value)) ? Number(value) : JSON.rawJSON(String(value));
  if (typeof value !== 'object' || value === null) return value;
  if (hasToJson(value)) return writable(jsonOf(value, at));
  if (Array.isArray(value)) {
    // A callback for each item would make two more calls for each level, of which a document may have thousands.
    const list = new Array<unknown>(value.length);
    for (let index = 0; index < value.length; index++) {
      if (!(index in value)) continue;
      const item = writable(value[index], index);
      if (ABSENT.has(typeof item)) throw new Error(`JSON has no ${typeof item}`);
      list[index] = item;
    }
    return list;
  }
  const copy: Record<string, unknown> = {};
  for (const name of Object.keys(value)) {
    const member = writable((value as Readonly<Record<string, unknown>>)[name], name);
    // An assignment would set the prototype.
    if (name === '__proto__') Object.defineProperty(copy, name, { value: member, enumerable: true });
    else copy[name] = member;
  }
  return copy;
}

/**
 * The same as `exactJson`, in less time, for plain objects and lists that nothing else holds, as sent.ts makes them: it
 * replaces their bigints. @throws Error for what JSON lacks
 */
export function ownJson(value: unknown): string {
  return stringify(replaced(value)) ?? 'null';
}

function replaced(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return writable(value);
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) {
      const item = replaced(value[index]);
      if (ABSENT.has(typeof item)) throw new Error(`JSON has no ${typeof item}`);
      if (item !== value[index]) value[index] = item;
    }
    return value;
  }
  const object = value as Record<string, unknown>;
  for (const name of Object.keys(object)) {
    const member = object[name];
    const made = replaced(member);
    if (made !== member) object[name] = made;
  }
  return object;
}

/** An escape that JSON.stringify writes only for a lone surrogate. */
const LONE = /(?<!\\)(?:\\\\)*\\ud[89a-f]/;

/** @param json as JSON.stringify writes it @throws Error if the service would refuse it in a request (RFC 7493, section 2.1) */
export function sendable(json: string): string {
  if (json.includes('\\ud') && LONE.test(json)) throw loneSurrogate();
  return json;
}

/** @throws Error for a text that UTF-8 cannot express */
export function wellFormed(text: string): string {
  if (!text.isWellFormed()) throw loneSurrogate();
  return text;
}

const loneSurrogate = () => new Error('a text has a lone surrogate, which UTF-8 cannot express');

interface WithToJson {
  toJSON(at: string): unknown;
}

export function hasToJson(value: object): value is WithToJson {
  return 'toJSON' in value && typeof value.toJSON === 'function';
}

/**
 * What JSON.stringify writes for the value: it calls `toJSON` with the name of the member, but not that of the result.
 */
export function jsonOf(value: WithToJson, at: string | number): unknown {
  const made = value.toJSON(String(at));
  if (typeof made !== 'object' || made === null || !hasToJson(made)) return made;
  return Array.isArray(made) ? Array.from(made as unknown[]) : { ...made, toJSON: undefined };
}
