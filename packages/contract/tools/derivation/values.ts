import { isObject } from '../../src/schema/exact.ts';
import { decimal as exactDecimal } from '../../src/schema/int64.ts';

export { isObject };

/** An exact JSON value: integers are bigint, other numbers are number. */
export type JsonValue = null | boolean | bigint | number | string | readonly JsonValue[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: JsonValue;
}

export function isNumber(value: unknown): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Returns all digits of a number, and how many of them follow the decimal point. */
export function decimal(literal: string): { readonly digits: bigint; readonly scale: number } {
  const { sign = '', digits = '', scale = 0 } = exactDecimal(literal) ?? {};
  const whole = BigInt(sign + digits.padEnd(1, '0')) * 10n ** BigInt(Math.max(0, scale));
  return { digits: whole, scale: Math.max(0, -scale) };
}

/** Reads a number: an integer, also `1.0`, becomes a bigint. */
export function numberOf(literal: string): bigint | number {
  const { digits, scale } = decimal(literal);
  const unit = 10n ** BigInt(scale);
  return digits % unit === 0n ? digits / unit : Number(literal);
}

/** Converts a value of JSON.parse or of the YAML parser. */
export function fromDocument(value: unknown): JsonValue {
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (Array.isArray(value)) return value.map(fromDocument);
  if (!isObject(value)) return value as JsonValue;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, fromDocument(each)]));
}

export function withMember(object: JsonObject, name: string, member: JsonValue): JsonObject {
  // In an object literal, `__proto__` would set the prototype.
  return Object.fromEntries([...Object.entries(object), [name, member]]);
}

export function withoutMember(object: JsonObject, name: string): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([each]) => each !== name));
}
