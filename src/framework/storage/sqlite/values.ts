import type { DatabaseSync, SQLInputValue, StatementSync } from 'node:sqlite';
import type { Result, Row } from '../store.ts';
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

type Decode = (value: unknown) => unknown;

/** Decodes values other than null; node:sqlite reads integers as bigint. */
const DECODE: Partial<Record<Kind, Decode>> = {
  int32: Number,
  boolean: (value) => value === 1n,
  timestamp: (value) => new Date(Number(value)),
  json: (value) => Json.parse(String(value)),
};

/** What a statement gives, as a message between threads: the names of the columns once, and the values of each row. */
export interface Found {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly changes: bigint;
}

/** A prepared statement, whose values and answers are of the kinds in tables.ts. */
export class Prepared {
  readonly names: readonly string[];
  private readonly statement: StatementSync;
  private readonly decoders: readonly (Decode | undefined)[];

  constructor(tables: Tables, database: DatabaseSync, sql: string) {
    // Otherwise node:sqlite throws for numbers beyond 2^53, even for the rowid of an inserted row.
    this.statement = database.prepare(sql, { readBigInts: true, returnArrays: true });
    const columns = this.statement.columns();
    this.names = columns.map(({ name }) => name);
    // By the kind of the table's column that a column of the result comes from.
    const decoders = columns.map(({ table, column }) => {
      const described = tables[table ?? '']?.columns[column ?? ''];
      return described && DECODE[described.kind];
    });
    this.decoders = decoders.some((each) => each !== undefined) ? decoders : [];
  }

  run(values: readonly unknown[]): Found {
    const { names, statement } = this;
    const encoded = values.map(encode);
    if (names.length === 0) return { names, rows: [], changes: BigInt(statement.run(...encoded).changes) };
    const rows = statement.all(...encoded).map((row) => this.decoded(row));
    return { names, rows, changes: BigInt(rows.length) };
  }

  *iterate(values: readonly unknown[]): Generator<Row> {
    for (const row of this.statement.iterate(...values.map(encode))) yield rowOf(this.names, this.decoded(row));
  }

  /** The types of node:sqlite know no `returnArrays`. */
  private decoded(row: unknown): readonly unknown[] {
    const values = row as readonly unknown[];
    if (this.decoders.length === 0) return values;
    return values.map((value, index) => {
      const decode = this.decoders[index];
      return decode === undefined || value === null ? value : decode(value);
    });
  }
}

export function resultOf({ names, rows, changes }: Found): Result {
  return { rows: rows.map((values) => rowOf(names, values)), changes };
}

/** If several columns have the same name, the last one decides. */
function rowOf(names: readonly string[], values: readonly unknown[]): Row {
  const row: Record<string, unknown> = {};
  for (const [index, name] of names.entries()) row[name] = values[index];
  return row;
}
