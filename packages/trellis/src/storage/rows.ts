import type { AnyRow, Creation, LookUp, NewRow, Statement } from './store.ts';
import type { Columns, Kind, Table, Tables } from './tables.ts';
import { canonical, isSameJson, Json, taken } from './values.ts';

/** How the rows of one table are written and compared. */
export class RowFormat {
  /** With quotes, as PostgreSQL changes unquoted names to lower case. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly kinds: readonly Kind[];
  readonly key: readonly string[];
  /** The places of the key among the columns. */
  private readonly keyAt: readonly number[];
  /** The names with quotes, separated by commas. */
  readonly columnList: string;
  readonly keyList: string;
  /** The SQL that reads the row of a key. */
  readonly selectOne: Readonly<Record<'sqlite' | 'postgres', string>>;
  private readonly described: Columns;

  constructor(name: string, { columns, key }: Table) {
    this.table = `"${name}"`;
    this.columns = Object.keys(columns);
    this.kinds = Object.values(columns).map(({ kind }) => kind);
    this.key = key;
    this.keyAt = key.map((column) => this.columns.indexOf(column));
    this.columnList = listOf(this.columns);
    this.keyList = listOf(key);
    this.described = columns;
    const select = (place: (index: number) => string) =>
      `select ${this.columnList} from ${this.table} where ${key.map((each, index) => `"${each}" = ${place(index)}`).join(' and ')}`;
    this.selectOne = { sqlite: select(() => '?'), postgres: select((index) => `$${index + 1}`) };
  }

  /** The values of a row in the order of the columns; values of JSON are texts. */
  valuesOf(row: AnyRow): unknown[] {
    return this.columns.map((column) => this.valueOf(row, column));
  }

  valueOf(row: AnyRow, column: string): unknown {
    const value = row[column] ?? null;
    return value !== null && this.described[column]?.kind === 'json' ? new Json(value).text : value;
  }

  keyOf(values: readonly unknown[]): unknown[] {
    return this.keyAt.map((index) => values[index]);
  }

  /** A value that is the same for the same key, and that can be compared and sorted. */
  identityOf(values: readonly unknown[]): unknown {
    const [first, ...others] = this.keyOf(values).map(canonical);
    return others.length === 0 ? first : JSON.stringify([first, ...others].map(String));
  }

  /** Compares a row with the stored one of its key. */
  outcomeOf([, added, ...values]: NewRow, stored: readonly unknown[] | undefined): Creation {
    const isSame = this.columns.every((column, index) => {
      const one = values[index];
      const other = stored?.[index];
      if (one === other || added?.includes(column)) return true;
      return this.kinds[index] === 'json' ? isSameJson(one, other) : canonical(one) === canonical(other);
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
  return [table, added && Object.keys(added), ...format.columns.map((column) => takenOf(format, all, column))];
}

/** @throws Error if the key is not that of the table */
export function newLookUp(formats: ReadonlyMap<string, RowFormat>, table: string, key: AnyRow): LookUp {
  const format = ofTable(formats, table);
  for (const name in key)
    if (!format.key.includes(name)) throw new Error(`the key of ${format.table} has no column ${name}`);
  const values = format.key.map((column) => takenOf(format, key, column));
  const lacking = format.key[values.indexOf(null)];
  if (lacking !== undefined) throw new Error(`the key of ${format.table} lacks ${lacking}`);
  return [table, ...values];
}

/** @throws Error if a value cannot be stored unchanged */
function takenOf(format: RowFormat, row: AnyRow, column: string): unknown {
  const value = format.valueOf(row, column);
  if (typeof value === 'object' && value !== null && !(value instanceof Date || value instanceof Uint8Array))
    throw new Error(`the column ${column} of ${format.table} takes no object`);
  return taken(value);
}

/** The statement of a look-up that is not read together with others. */
export function statementOf(
  formats: ReadonlyMap<string, RowFormat>,
  engine: 'sqlite' | 'postgres',
  [table, ...values]: LookUp,
): Statement {
  return { sql: ofTable(formats, table).selectOne[engine], values, writes: false };
}

/** Estimates the memory that values take, in bytes. */
export function bytesOf(values: readonly unknown[]): number {
  let sum = 64;
  for (const value of values) {
    if (typeof value === 'string') sum += 2 * value.length;
    else sum += value instanceof Uint8Array ? value.length : 8;
  }
  return sum;
}

/** The formats of all tables, by name. */
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
