import type { Kind } from '../tables.ts';
import { Json } from '../values.ts';

/** What the kinds of columns are called. */
export const SQL_TYPES: Readonly<Record<Kind, string>> = {
  text: 'text',
  int64: 'bigint',
  int32: 'integer',
  number: 'double precision',
  boolean: 'boolean',
  timestamp: 'timestamp with time zone',
  bytes: 'bytea',
  json: 'jsonb',
};

/** A value as pg takes it, which knows all others. */
export function encode(value: unknown): unknown {
  if (value instanceof Json) return value.text;
  return Array.isArray(value) ? value.map(encode) : value;
}
