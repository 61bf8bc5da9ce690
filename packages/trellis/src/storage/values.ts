import { asError } from '../explained-error.ts';
import { areEqual } from '../contract/schema/exact.ts';
import { exactJson, int64, sendable } from '../contract/schema/int64.ts';

export class Json {
  readonly text: string;

  /** @throws Error if an engine would change or refuse the value */
  constructor(value: unknown) {
    this.text = value instanceof Json ? value.text : sendable(exactJson(value));
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
  return one === other || areEqual(Json.parse(one), Json.parse(other));
}

/** The years that RFC 3339 and both engines can represent. */
const EARLIEST = new Date('0001-01-01T00:00:00.000Z');
const LATEST = new Date('9999-12-31T23:59:59.999Z');

/**
 * A copy of a value that waits for an engine: its caller cannot change it, and every thread can take it. An array or an
 * object becomes the text of its JSON.
 *
 * @throws Error if an engine would change it: UTF-8 has no lone surrogates, SQLite has no NaN
 */
export function taken(value: unknown): unknown {
  if (typeof value === 'string' && !value.isWellFormed())
    throw new Error('a text with a lone surrogate cannot be stored');
  if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} cannot be stored`);
  if (typeof value === 'function' || typeof value === 'symbol') throw new Error(`a ${typeof value} cannot be stored`);
  if (typeof value !== 'object' || value === null) return value ?? null;
  if (value instanceof Uint8Array) return new Uint8Array(value);
  if (!(value instanceof Date)) return new Json(value).text;
  if (!(value >= EARLIEST && value <= LATEST)) throw new Error('a timestamp must be in the years 1 to 9999');
  return new Date(value);
}

/** Returns an error in place of a result, so that the caller decides when to throw it. */
export function attempt<Result>(make: () => Result): Result | Error {
  try {
    return make();
  } catch (error) {
    return asError(error);
  }
}
