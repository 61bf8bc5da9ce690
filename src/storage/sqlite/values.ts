import type { StatementSync, SQLInputValue } from 'node:sqlite';
import type { Row } from '../store.ts';
import { type Kind, kindOf, TABLES } from '../tables.ts';
import { Json } from '../values.ts';

/** What the kinds of columns are called in a STRICT table. A boolean is 0 or 1, a timestamp milliseconds since 1970. */
export const SQL_TYPES: Readonly<Record<Kind, string>> = {
  text: 'TEXT',
  int64: 'INTEGER',
  int32: 'INTEGER',
  number: 'REAL',
  boolean: 'INTEGER',
  timestamp: 'INTEGER',
  bytes: 'BLOB',
  json: 'TEXT',
};

/** A value as node:sqlite takes it. */
export function encode(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Date) return BigInt(value.getTime());
  // Not `instanceof Json`: a value that comes from another thread has forgotten its class.
  if (typeof value === 'object' && value !== null && 'text' in value) return String(value.text);
  // What tables.ts has no kind for is refused by node:sqlite, with its type.
  return value as SQLInputValue;
}

/** What node:sqlite reads of columns of these kinds, with integers as bigint. Null is null in all of them. */
const DECODE: Partial<Record<Kind, (value: unknown) => unknown>> = {
  int32: Number,
  boolean: (value) => value === 1n,
  timestamp: (value) => new Date(Number(value)),
  json: (value) => Json.parse(String(value)),
};

/** What makes rows of what a statement reads: by the columns of tables from which its columns come. */
export function rowDecoder(statement: StatementSync): (row: Row) => Row {
  const tables: Readonly<Record<string, Readonly<Record<string, string>>>> = TABLES;
  // Of columns with one name the last counts, as in the row.
  const decoders = new Map(
    statement.columns().map(({ name, table, column }) => {
      const described = tables[table ?? '']?.[column ?? ''];
      return [name, described === undefined ? undefined : DECODE[kindOf(described).kind]];
    }),
  );
  if (decoders.values().every((decode) => decode === undefined)) return (row) => row;
  return (row) => {
    const decoded = { ...row };
    for (const [name, decode] of decoders) if (decode && decoded[name] !== null) decoded[name] = decode(decoded[name]);
    return decoded;
  };
}
