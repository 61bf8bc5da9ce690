import type { Kind } from '../tables.ts';
import { Json } from '../values.ts';

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

export function encode(value: unknown): unknown {
  if (value instanceof Json) return value.text;
  // pg writes local time, without the seconds that time zones had before 1972.
  if (value instanceof Date) return value.toISOString();
  return Array.isArray(value) ? value.map(encode) : value;
}
