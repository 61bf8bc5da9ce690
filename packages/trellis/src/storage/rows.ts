import type { AnyRow, Creation, NewRow, Statement } from './store.ts';
import type { Kind, Table, Tables } from './tables.ts';
import { canonical, isObject, isSameJson, isSameValue, Json, sizeOf, taken } from './values.ts';

/** How the rows of one table are written and compared. */
export class RowFormat {
  /** With quotes, as PostgreSQL changes unquoted names to lower case. */
  readonly table: string;
  readonly columns: readonly string[];
  /** Of the columns, in their order. */
  readonly kinds: readonly Kind[];
  readonly key: readonly string[];
  /** The places of the key among the columns. */
  private readonly keyAt: readonly number[];
  /** The names with quotes, separated by commas. */
  readonly columnList: string;
  readonly keyList: string;

  constructor(name: string, { columns, key }: Table) {
    this.table = `"${name}"`;
    this.columns = Object.keys(columns);
    this.kinds = Object.values(columns).map(({ kind }) => kind);
    this.key = key;
    this.keyAt = key.map((column) => this.columns.indexOf(column));
    this.columnList = listOf(this.columns);
    this.keyList = listOf(key);
  }

  /** The values of a row in the order of the columns, those of JSON as texts. */
  valuesOf(row: AnyRow): unknown[] {
    return this.columns.map((column, index) => {
      const value = row[column] ?? null;
      return this.kinds[index] === 'json' && value !== null ? new Json(value).text : value;
    });
  }

  /** The SQL that reads the row of a key. The text is fixed, so that an engine prepares it once. */
  selectOne(engine: 'sqlite' | 'postgres'): string {
    const equals = this.key.map((column, index) => `"${column}" = ${engine === 'sqlite' ? '?' : `$${index + 1}`}`);
    return `select ${this.columnList} from ${this.table} where ${equals.join(' and ')}`;
  }

  keyOf(values: readonly unknown[]): unknown[] {
    return this.keyAt.map((index) => values[index]);
  }

  /** The same value for the same key, and one that can be compared. */
  identityOf(values: readonly unknown[]): unknown {
    const [first, ...others] = this.keyOf(values).map(canonical);
    return others.length === 0 ? first : JSON.stringify([first, ...others].map(String));
  }

  /** Compares a row with the stored one of its key. */
  outcomeOf([, added, ...values]: NewRow, stored: readonly unknown[] | undefined): Creation {
    const isSame = this.columns.every((column, index) => {
      if (added?.includes(column)) return true;
      return (this.kinds[index] === 'json' ? isSameJson : isSameValue)(values[index], stored?.[index]);
    });
    return isSame ? 'replayed' : 'conflict';
  }
}

/** @throws Error if there is no such table, the table has no such column, or a value cannot be stored unchanged */
export function newRow(formats: ReadonlyMap<string, RowFormat>, table: string, row: AnyRow, added?: AnyRow): NewRow {
  const format = ofTable(formats, table);
  const all = added === undefined ? row : { ...row, ...added };
  const other = Object.keys(all).find((name) => !format.columns.includes(name));
  if (other !== undefined) throw new Error(`${format.table} has no column ${other}`);
  return [table, added && Object.keys(added), ...takenOf(format, all)];
}

/** @throws Error if a value cannot be stored unchanged */
function takenOf(format: RowFormat, row: AnyRow): unknown[] {
  return format.valuesOf(row).map((value, index) => {
    if (isObject(value))
      throw new Error(`the column ${format.columns[index] ?? ''} of ${format.table} takes no object`);
    return taken(value);
  });
}

/** @returns the statement that reads the row of a key; it throws an Error if the key is not that of the table */
export function lookUps(
  formats: ReadonlyMap<string, RowFormat>,
  engine: 'sqlite' | 'postgres',
): (table: string, key: AnyRow) => Statement {
  const texts = new Map(formats.values().map((format) => [format, format.selectOne(engine)]));
  return (table, key) => {
    const format = ofTable(formats, table);
    const other = Object.keys(key).find((name) => !format.key.includes(name));
    if (other !== undefined) throw new Error(`the key of ${format.table} has no column ${other}`);
    const values = format.keyOf(takenOf(format, key));
    const lacking = format.key[values.indexOf(null)];
    if (lacking !== undefined) throw new Error(`the key of ${format.table} lacks ${lacking}`);
    return { sql: texts.get(format) ?? '', values, writes: false };
  };
}

/** Estimates the memory that values take, in bytes. */
export function bytesOf(values: readonly unknown[]): number {
  return values.reduce<number>((sum, value) => sum + sizeOf(value), 64);
}

/** By the name of the table. */
export function formatsOf<Format>(
  tables: Tables,
  Class: new (name: string, table: Table) => Format,
): ReadonlyMap<string, Format> {
  return new Map(Object.entries(tables).map(([name, each]) => [name, new Class(name, each)]));
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
