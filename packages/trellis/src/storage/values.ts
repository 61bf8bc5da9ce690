import { asError, exactJson, int64, sendable } from 'trellis-contract/ground';
import { ValueRefused } from './store-errors.ts';

/** The escape of U+0000, which JSON.stringify writes for that character alone. */
const ESCAPED_NUL = /(?<!\\)(?:\\\\)*\\u0000/;

export class Json {
  readonly text: string;

  /** @throws Error if an engine would change or refuse the value */
  constructor(value: unknown) {
    if (value === undefined || typeof value === 'function' || typeof value === 'symbol')
      throw new Error(`JSON has no ${typeof value}`);
    this.text = value instanceof Json ? value.text : sendable(exactJson(value));
    if (this.text.includes('\\u0000') && ESCAPED_NUL.test(this.text)) throw refusedText();
  }

  /** Reads an int64 beyond 2^53 as a bigint. */
  static parse(text: string): unknown {
    return JSON.parse(text, (...[, value, context]: [string, unknown, { source?: string }?]) => {
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
      // PostgreSQL writes the double 1e300 as 301 digits, which must stay a number.
      return int64(context?.source ?? '') ?? value;
    });
  }
}

export function canonical(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex');
  return value ?? null;
}

/** Compares texts of JSON, or null; the order of members does not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  if (typeof one !== 'string' || typeof other !== 'string') return one === other;
  return one === other || isSame(Json.parse(one), Json.parse(other));
}

function isSame(one: unknown, other: unknown): boolean {
  if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) return one === other;
  const [members, others] = [Object.entries(one), new Map(Object.entries(other))];
  return (
    Array.isArray(one) === Array.isArray(other) &&
    members.length === others.size &&
    members.every(([name, value]: [string, unknown]) => others.has(name) && isSame(value, others.get(name)))
  );
}

/** PostgreSQL stores no such text. */
function refusedText(): ValueRefused {
  return new ValueRefused('a text has U+0000, which cannot be stored');
}

/** The years that RFC 3339 and both engines can represent. */
const EARLIEST = new Date('0001-01-01T00:00:00.000Z');
const LATEST = new Date('9999-12-31T23:59:59.999Z');

/**
 * A copy of a value that waits for an engine: its caller cannot change it, and every thread can take it. An array or an
 * object becomes the text of its JSON.
 *
 * @throws Error if an engine would change it: UTF-8 has no lone surrogates, SQLite has no NaN
 * @throws ValueRefused for a text with U+0000
 */
export function taken(value: unknown): unknown {
  if (typeof value === 'string') {
    if (!value.isWellFormed()) throw new Error('a text with a lone surrogate cannot be stored');
    if (value.includes('\0')) throw refusedText();
    return value;
  }
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} cannot be stored`);
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error(`a ${typeof value} cannot be stored`);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (!(value instanceof Date)) return new Json(value).text;
  if (!(value >= EARLIEST && value <= LATEST)) throw new Error('a timestamp must be in the years 1 to 9999');
  return new Date(value);
}

/** Returns an error in place of a result, so that the caller decides when to throw it. */
export function resultOf<Result>(make: () => Result): Result | Error {
  try {
    return make();
  } catch (error) {
    return asError(error);
  }
}
