import type { Creation, NewRow, Row } from './store.ts';
import type { Kind, Table, Tables } from './tables.ts';
import { canonical, isSameJson, isSameValue, Json, requireStorable, sizeOf } from './values.ts';

/** How the rows of one table are written and compared. */
export class RowFormat {
  /** With quotes, as PostgreSQL changes unquoted names to lower case. */
  readonly table: string;
  readonly columns: readonly string[];
  /** Of the columns, in their order. */
  readonly kinds: readonly Kind[];
  readonly key: readonly string[];
  /** The names with quotes, separated by commas. */
  readonly columnList: string;
  readonly keyList: string;

  constructor(name: string, { columns, key }: Table) {
    this.table = `"${name}"`;
    this.columns = Object.keys(columns);
    this.kinds = Object.values(columns).map(({ kind }) => kind);
    this.key = key;
    this.columnList = listOf(this.columns);
    this.keyList = listOf(key);
  }

  /** The values of a row in the order of the columns. @throws Error if a value cannot be stored unchanged */
  valuesOf(row: Row): unknown[] {
    const other = Object.keys(row).find((name) => !this.columns.includes(name));
    if (other !== undefined) throw new Error(`${this.table} has no column ${other}`);
    const values = this.columns.map((column, index) => {
      const value = row[column] ?? null;
      return this.kinds[index] === 'json' && value !== null ? new Json(value) : value;
    });
    requireStorable(values);
    return values;
  }

  /** The same value for the same key, and one that can be compared. */
  keyOf(row: Row): unknown {
    const [first, ...others] = this.key.map((column) => canonical(row[column]));
    return others.length === 0 ? first : JSON.stringify([first, ...others].map(String));
  }

  /** Compares a row with the stored one of its key. */
  outcomeOf({ row, added }: NewRow, stored: Row | undefined): Creation {
    const isSame = this.columns.every((column, index) => {
      if (added?.includes(column)) return true;
      return (this.kinds[index] === 'json' ? isSameJson : isSameValue)(row[column], stored?.[column]);
    });
    return isSame ? 'replayed' : 'conflict';
  }
}

/** Estimates the memory that a row takes, in bytes. */
export function bytesOfRow({ row }: NewRow): number {
  return bytesOf(Object.values(row));
}

export function bytesOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + sizeOf(value), 64);
}

/** By the name of the table. */
export function formatsOf(tables: Tables): ReadonlyMap<string, RowFormat> {
  return new Map(Object.entries(tables).map(([name, each]) => [name, new RowFormat(name, each)]));
}

/** @throws Error if there is no such table */
export function ofTable<T>(all: ReadonlyMap<string, T>, table: string): T {
  const found = all.get(table);
  if (found === undefined) throw new Error(`the service has no table ${table}`);
  return found;
}

function listOf(columns: readonly string[]): string {
  return columns.map((column) => `"${column}"`).join();
}
