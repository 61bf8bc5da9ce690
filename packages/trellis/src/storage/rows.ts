import { isInt64 } from 'trellis-contract/ground';
import type { AnyRow, LookUp, NewRow, Statement } from './engine.ts';
import type { StoreEngine } from './layout.ts';
import type { Creation } from './queries.ts';
import type { Columns, Kind, Table, Tables } from './tables.ts';
import { canonical, isSameJson, Json, taken } from './values.ts';
import { ValueRefused } from './store-errors.ts';

/** How the rows of one table are written and compared. */
export class RowFormat {
  /** With quotes, as PostgreSQL changes unquoted names to lower case. */
  readonly table: string;
  readonly columns: readonly string[];
  readonly kinds: readonly Kind[];
  readonly key: readonly string[];
  /** Whether the key has a text or bytes. */
  readonly mayHaveLongKey: boolean;
  /** The places of the key among the columns. */
  private readonly keyAt: readonly number[];
  /** The names with quotes, separated by commas. */
  readonly columnList: string;
  readonly keyList: string;
  /** The SQL that reads the row of a key. */
  readonly selectOne: Readonly<Record<StoreEngine, string>>;
  private readonly described: Columns;

  constructor(name: string, { columns, key }: Table) {
    this.table = `"${name}"`;
    this.columns = Object.keys(columns);
    this.kinds = Object.values(columns).map(({ kind }) => kind);
    this.key = key;
    this.keyAt = key.map((column) => this.columns.indexOf(column));
    this.mayHaveLongKey = this.keyOf(this.kinds).some((kind) => kind === 'text' || kind === 'bytes');
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

/**
 * @throws Error if there is no such table, the table has no such column, or a value cannot be stored unchanged
 * @throws ValueRefused
 */
export function newRow(formats: ReadonlyMap<string, RowFormat>, table: string, row: AnyRow, added?: AnyRow): NewRow {
  const format = ofTable(formats, table);
  const all = added === undefined ? row : { ...row, ...added };
  const other = Object.keys(all).find((name) => !format.columns.includes(name));
  if (other !== undefined) throw new Error(`${format.table} has no column ${other}`);
  const values = format.columns.map((column, index) => {
    try {
      return takenOf(format, all, column, format.kinds[index]);
    } catch (error) {
      // No client has sent what the service adds.
      if (error instanceof ValueRefused && added !== undefined && Object.hasOwn(added, column))
        throw new Error(`the column ${column} of ${format.table}, which the service adds: ${error.message}`, {
          cause: error,
        });
      throw error;
    }
  });
  if (format.mayHaveLongKey && lengthOfKey(format.keyOf(values)) > MAX_KEY_BYTES)
    throw new ValueRefused(`a key has more than the ${MAX_KEY_BYTES} bytes that can be stored`);
  return [table, added && Object.keys(added), ...values];
}

/** The longest text that an index of PostgreSQL takes as a key. */
const MAX_KEY_BYTES = 2692;

/** The bytes of a key in an index of PostgreSQL, or a few more, without what the first column takes beside its value. */
function lengthOfKey(key: readonly unknown[]): number {
  const besides = 16;
  const sum = key.reduce<number>((bytes, value) => {
    const own = typeof value === 'string' ? Buffer.byteLength(value) : value instanceof Uint8Array ? value.length : 0;
    return bytes + own + besides;
  }, 0);
  return sum - besides;
}

/**
 * @returns undefined if no row can have the key
 * @throws Error if the key is not that of the table
 */
export function newLookUp(formats: ReadonlyMap<string, RowFormat>, table: string, key: AnyRow): LookUp | undefined {
  const format = ofTable(formats, table);
  for (const name in key)
    if (!format.key.includes(name)) throw new Error(`the key of ${format.table} has no column ${name}`);
  const lacking = format.key.find((column) => (key[column] ?? null) === null);
  if (lacking !== undefined) throw new Error(`the key of ${format.table} lacks ${lacking}`);
  const kinds = format.key.map((column) => format.kinds[format.columns.indexOf(column)]);
  try {
    const values = format.key.map((column, index) => takenOf(format, key, column, kinds[index]));
    return values.every((value, index) => isInRange(value, kinds[index])) ? [table, ...values] : undefined;
  } catch (error) {
    if (error instanceof ValueRefused) return undefined;
    throw error;
  }
}

function isInRange(value: unknown, kind: Kind | undefined): boolean {
  if (kind === 'int32') return Number.isInteger(value) && Math.abs(Number(value) + 0.5) < 2 ** 31;
  return kind !== 'int64' || isInt64(value as bigint);
}

/** @throws Error if a value cannot be stored unchanged @throws ValueRefused */
function takenOf(format: RowFormat, row: AnyRow, column: string, kind: Kind | undefined): unknown {
  const value = format.valueOf(row, column);
  if (typeof value === 'object' && value !== null && !(value instanceof Date || value instanceof Uint8Array))
    throw new Error(`the column ${column} of ${format.table} takes no object`);
  const own = taken(value);
  const encoded = own === null || kind === undefined ? own : ENCODE[kind](own);
  if (encoded === undefined)
    throw new Error(`the column ${column} of ${format.table} takes ${TAKES[kind ?? 'text']}, not a ${typeof own}`);
  return encoded;
}

const asDouble = (value: unknown) =>
  typeof value === 'bigint' && Number.isSafeInteger(Number(value)) ? Number(value) : ifOf('number')(value);
const ifOf = (type: string) => (value: unknown) => (typeof value === type ? value : undefined);

/**
 * The value that a row of this kind is read with, as a replay compares both: an integer may be a bigint or a number.
 * Undefined: a value of another kind.
 */
const ENCODE: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  text: ifOf('string'),
  int64: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? BigInt(value) : ifOf('bigint')(value)),
  int32: asDouble,
  number: asDouble,
  boolean: ifOf('boolean'),
  timestamp: (value) => (value instanceof Date ? value : undefined),
  bytes: (value) => (value instanceof Uint8Array ? value : undefined),
  // The text of the value.
  json: ifOf('string'),
};
const TAKES: Readonly<Record<Kind, string>> = {
  text: 'a string',
  int64: 'a bigint',
  int32: 'a number',
  number: 'a number',
  boolean: 'a boolean',
  timestamp: 'a Date',
  bytes: 'a Uint8Array',
  json: 'JSON',
};

/** The statement of a look-up that is not read together with others. */
export function statementOf(
  formats: ReadonlyMap<string, RowFormat>,
  engine: StoreEngine,
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
