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
  // pg would write it in the time zone of the process, without the seconds that zones had before 1972.
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(encode) : value;
}
