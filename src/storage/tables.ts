import type { ColumnType } from 'kysely';
import { RESOURCE } from '../resource.ts';
import type { Json } from './values.ts';

/** The kinds of columns, and what a value of each is in TypeScript. */
interface Values {
  /** Any text without a lone surrogate; PostgreSQL refuses U+0000. */
  text: string;
  int64: bigint;
  int32: number;
  /** A double. */
  number: number;
  boolean: boolean;
  /** A moment, in milliseconds. */
  timestamp: Date;
  bytes: Uint8Array;
  /** What JSON can say. Integers beyond 2^53 are bigint, and exact. A query takes it as `new Json(value)`. */
  json: unknown;
}
export type Kind = keyof Values;

/**
 * Every table, with its columns. `?`: the column may be null, and the member of an item may be missing. A migration of
 * each engine makes what is described here, and the start compares the two.
 */
export const TABLES = {
  /** What `ItemStore` keeps: `id` is its primary key. */
  [RESOURCE.many]: { id: 'int64', name: 'text', tag: 'text?' },
  tokens: {
    hash: 'bytes',
    name: 'text',
    /** With spaces between them. */
    scopes: 'text',
    created_at: 'int64',
    expires_at: 'int64?',
    revoked_at: 'int64?',
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Kind | `${Kind}?`>>>>;

type Description = typeof TABLES;
type Required<Columns> = { [Name in keyof Columns as Columns[Name] extends Kind ? Name : never]: Columns[Name] };
type Optional<Columns> = { [Name in keyof Columns as Columns[Name] extends Kind ? never : Name]: Columns[Name] };
type ValueOf<Column> = Column extends `${infer Nullable extends Kind}?`
  ? Values[Nullable]
  : Column extends Kind
    ? Values[Column]
    : never;

/** The rows of a table as data: a column that is null is a member that is missing. */
type Members<Columns> = { readonly [Name in keyof Required<Columns>]: ValueOf<Columns[Name & keyof Columns]> } & {
  readonly [Name in keyof Optional<Columns>]?: ValueOf<Columns[Name & keyof Columns]>;
};

/** What the store keeps. Each text is kept to the letter: no case folding, no normalisation. */
export type Item = Members<Description[typeof RESOURCE.many]>;

/** The rows of the tables, as Kysely has them: a column that is null is null. */
export type Tables = {
  [Table in keyof Description]: { [Name in keyof Description[Table]]: Column<Description[Table][Name]> };
};
type Column<Described> = Described extends 'json'
  ? ColumnType<unknown, Json, Json>
  : Described extends 'json?'
    ? ColumnType<unknown, Json | null | undefined, Json | null>
    : Described extends Kind
      ? ValueOf<Described>
      : ValueOf<Described> | null;

/** A row without its columns that are null. */
export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  // The type says what this does.
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;
}
type WithoutNulls<Row> = { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>;
};

/** The kind of a column, and whether it may be null. */
export function kindOf(described: string): { readonly kind: Kind; readonly nullable: boolean } {
  const nullable = described.endsWith('?');
  // TABLES has no others.
  return { kind: (nullable ? described.slice(0, -1) : described) as Kind, nullable };
}

/** The columns of an item. */
export const COLUMNS = Object.keys(TABLES[RESOURCE.many]) as (keyof Item)[];
/** As SQL has them: without quotes PostgreSQL would take their capitals for small letters. */
export const COLUMN_LIST = COLUMNS.map((column) => `"${column}"`).join();
