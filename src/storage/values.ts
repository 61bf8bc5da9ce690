import { exactJson, isInt64 } from '../contract/int64.ts';

/** A value of a column of the kind `json`, in a query. */
export class Json {
  /** Its text. */
  readonly text: string;

  constructor(value: unknown) {
    this.text = exactJson(value);
  }

  /** A JSON text as the value that was given: an int64 beyond 2^53 is a bigint. */
  static parse(text: string): unknown {
    return JSON.parse(text, (...[, value, context]: [string, unknown, { source?: string }?]) => {
      if (typeof value !== 'number' || Number.isSafeInteger(value)) return value;
      const exact = /^-?\d+$/.test(context?.source ?? '') ? BigInt(context?.source ?? '') : undefined;
      // PostgreSQL writes the double 1e300 out.
      return exact !== undefined && isInt64(exact) ? exact : value;
    });
  }
}

/** Whether two values of a column are the same that is not JSON. */
export function isSameValue(one: unknown, other: unknown): boolean {
  return one === other || canonical(one) === canonical(other);
}

function canonical(value: unknown): unknown {
  if (value instanceof Date) return value.getTime();
  if (value instanceof Uint8Array) return Buffer.from(value.buffer, value.byteOffset, value.length).toString('hex');
  return value ?? null;
}

/** Whether two values of JSON are the same, where the order of members does not count. */
export function isSameJson(one: unknown, other: unknown): boolean {
  return exactJson(sorted(one ?? null)) === exactJson(sorted(other ?? null));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(
    members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, member]) => [name, sorted(member)]),
  );
}

/** About how many bytes a value takes in memory. */
export function sizeOf(value: unknown): number {
  if (typeof value === 'string') return 2 * value.length;
  if (value instanceof Uint8Array) return value.length;
  return typeof value === 'object' && value !== null ? 2 * exactJson(value).length : 8;
}

/** @throws Error if a value is none that an engine keeps as it is: UTF-8 has no lone surrogate, SQLite no NaN */
export function requireStorable(values: Iterable<unknown>): void {
  for (const value of values) {
    if (typeof value === 'string' && !value.isWellFormed()) {
      throw new Error('a text with a lone surrogate cannot be stored as it is');
    }
    if (typeof value === 'number' && !Number.isFinite(value)) throw new Error(`${value} cannot be stored`);
    if (value instanceof Date && !/^\d/.test(isoOf(value))) {
      throw new Error('a timestamp is a moment of the years 1 to 9999');
    }
    const isOne = typeof value !== 'object' || value === null || KINDS.some((kind) => value instanceof kind);
    if (!isOne) throw new Error('an object is stored as new Json(object)');
  }
}

const KINDS = [Date, Uint8Array, Json];

/** Begins with a digit for the years that RFC 3339 can say and both engines keep. */
function isoOf(date: Date): string {
  return Number.isNaN(date.getTime()) ? '' : date.toISOString().replace(/^0000/, '-');
}
