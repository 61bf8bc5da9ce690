import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Result, AnyRow } from '../engine.ts';
import type { Kind, Tables } from '../tables.ts';
import { Json } from '../values.ts';

export function encode(value: unknown): SQLInputValue {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (value instanceof Date) return BigInt(value.getTime());
  return value as SQLInputValue;
}

/** Decodes values other than null; node:sqlite reads integers as bigint. */
const DECODE: Partial<Record<Kind, (value: unknown) => unknown>> = {
  int32: Number,
  boolean: (value) => value === 1n,
  timestamp: (value) => new Date(Number(value)),
  json: (value) => Json.parse(String(value)),
};

/**
 * The result of a statement, as a message between threads: the names and kinds of the columns once, and the values of
 * each row as SQLite has them. No caller holds a part of it, as `resultOf` makes all values anew.
 */
export interface FoundRows {
  readonly names: readonly string[];
  readonly kinds: readonly (Kind | undefined)[];
  readonly rows: readonly (readonly unknown[])[];
  readonly changes: bigint;
}

/** A prepared statement, whose values are of the kinds in tables.ts. */
export class Prepared {
  readonly names: readonly string[];
  private readonly statement: StatementSync;
  /** For each column of the result, the kind of the table's column that it comes from. */
  readonly kinds: readonly (Kind | undefined)[];

  constructor(tables: Tables, database: DatabaseSync, sql: string) {
    // Otherwise node:sqlite throws for numbers beyond 2^53, even for the rowid of an inserted row.
    this.statement = database.prepare(sql, { readBigInts: true, returnArrays: true });
    const columns = this.statement.columns();
    this.names = columns.map(({ name }) => name);
    this.kinds = columns.map(({ table, column }) => tables[table ?? '']?.columns[column ?? '']?.kind);
  }

  run(values: readonly unknown[]): FoundRows {
    const { names, kinds, statement } = this;
    const encoded = values.map(encode);
    if (names.length === 0) return { names, kinds, rows: [], changes: BigInt(statement.run(...encoded).changes) };
    // The types of node:sqlite know no `returnArrays`.
    const rows: readonly unknown[] = statement.all(...encoded);
    return { names, kinds, rows: rows as readonly unknown[][], changes: BigInt(rows.length) };
  }

  *iterate(values: readonly unknown[]): Generator<AnyRow> {
    const rows: Iterable<unknown> = this.statement.iterate(...values.map(encode));
    for (const row of rows) yield rowOf(this, row as readonly unknown[], null);
  }
}

export function resultOf(found: FoundRows): Result {
  return { rows: found.rows.map((values) => rowOf(found, values, null)), changes: found.changes };
}

/**
 * If several columns have the same name, the last one decides.
 *
 * @param none what stands for null
 */
export function rowOf(
  { names, kinds }: Pick<FoundRows, 'names' | 'kinds'>,
  values: readonly unknown[],
  none: null | undefined,
): AnyRow {
  const row: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) row[name] = decoded(values[index], kinds[index]) ?? none;
  return row;
}

function decoded(value: unknown, kind: Kind | undefined): unknown {
  const decode = kind && DECODE[kind];
  if (decode !== undefined && value !== null) return decode(value);
  return value instanceof Uint8Array ? new Uint8Array(value) : value;
}
