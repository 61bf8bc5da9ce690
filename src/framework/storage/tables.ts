import type { ColumnType } from 'kysely';
import { RESOURCE } from '../resource.ts';
import type { Json } from './values.ts';

/** The kinds of columns, each with the type of its values in TypeScript. */
interface Values {
  /** No lone surrogates; on PostgreSQL, no U+0000 either. */
  text: string;
  int64: bigint;
  int32: number;
  number: number;
  boolean: boolean;
  timestamp: Date;
  bytes: Uint8Array;
  /** An int64 beyond 2^53 is a bigint. A query takes the value as `new Json(value)`. */
  json: unknown;
}
export type Kind = keyof Values;

/** Each engine's migrations create these tables, and the start compares them. `?` marks a column that may be null. */
export const TABLES = {
  /** The primary key must be `id`. */
  [RESOURCE.many]: { id: 'int64', name: 'text', tag: 'text?' },
  tokens: {
    hash: 'bytes',
    name: 'text',
    /** Separated by spaces. */
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

/** Rows as data: a null column is a missing member. */
type Members<Columns> = { readonly [Name in keyof Required<Columns>]: ValueOf<Columns[Name & keyof Columns]> } & {
  readonly [Name in keyof Optional<Columns>]?: ValueOf<Columns[Name & keyof Columns]>;
};

/** A stored item. The store changes no character of a text: no case folding, no Unicode normalisation. */
export type Item = Members<Description[typeof RESOURCE.many]>;

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

export function withoutNulls<Row extends object>(row: Row): WithoutNulls<Row> {
  // Object.fromEntries loses the names of the members.
  return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null)) as WithoutNulls<Row>;
}
type WithoutNulls<Row> = { [Name in keyof Row as null extends Row[Name] ? never : Name]: Row[Name] } & {
  [Name in keyof Row as null extends Row[Name] ? Name : never]?: NonNullable<Row[Name]>;
};

/** @param described a column of TABLES, such as `text?` */
export function kindOf(described: string): { readonly kind: Kind; readonly nullable: boolean } {
  const nullable = described.endsWith('?');
  // The type of TABLES allows no other text.
  return { kind: (nullable ? described.slice(0, -1) : described) as Kind, nullable };
}

export const COLUMNS = Object.keys(TABLES[RESOURCE.many]) as (keyof Item)[];
export const COLUMN_LIST = listOf(TABLES[RESOURCE.many]);
/** For each table a query that reads no row, and fails if a column is missing or may not be read. */
export const SELECT_NONE = Object.entries(TABLES).map(
  ([table, columns]) => `select ${listOf(columns)} from "${table}" limit 0`,
);

/** With quotes, as PostgreSQL changes unquoted names to lower case. */
function listOf(columns: object): string {
  return Object.keys(columns)
    .map((column) => `"${column}"`)
    .join();
}
