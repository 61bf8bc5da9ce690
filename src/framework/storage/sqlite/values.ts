import type { StatementSync, SQLInputValue } from 'node:sqlite';
import type { Row } from '../store.ts';
import type { Kind, Tables } from '../tables.ts';
import { Json } from '../values.ts';

export function encode(value: unknown): SQLInputValue {
  if (value === undefined) return null;
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Date) return BigInt(value.getTime());
  // Not `instanceof Json`, as a message between threads loses the class.
  if (typeof value === 'object' && value !== null && 'text' in value) return String(value.text);
  return value as SQLInputValue;
}

/** Decodes values other than null; node:sqlite reads integers as bigint. */
const DECODE: Partial<Record<Kind, (value: unknown) => unknown>> = {
  int32: Number,
  boolean: (value) => value === 1n,
  timestamp: (value) => new Date(Number(value)),
  json: (value) => Json.parse(String(value)),
};

/** Decodes each column of a result by the kind of the table's column that it comes from. */
export function rowDecoder(tables: Tables, statement: StatementSync): (row: Row) => Row {
  // If several columns have the same name, the last one decides, as in the rows of node:sqlite.
  const decoders = new Map(
    statement.columns().map(({ name, table, column }) => {
      const described = tables[table ?? '']?.columns[column ?? ''];
      return [name, described && DECODE[described.kind]];
    }),
  );
  if (decoders.values().every((decode) => decode === undefined)) return (row) => row;
  return (row) => {
    const decoded = { ...row };
    for (const [name, decode] of decoders) if (decode && decoded[name] !== null) decoded[name] = decode(decoded[name]);
    return decoded;
  };
}
