import type { StoredPlant, StoredToken } from './store.ts';

/**
 * The columns of the table `plants`, with their types in SQL, are the members of a plant. One that is missing here does
 * not compile.
 */
export const TYPES: Readonly<Record<keyof StoredPlant, 'bigint' | 'text'>> = {
  id: 'bigint',
  name: 'text',
  tag: 'text',
};
export const COLUMNS = Object.keys(TYPES) as (keyof StoredPlant)[];
/** As SQL has them: without quotes PostgreSQL would take their capitals for small letters. */
export const COLUMN_LIST = COLUMNS.map((column) => `"${column}"`).join();

/** A value of a column; what a plant does not have is null. */
export type Value = (StoredPlant[keyof StoredPlant] & (bigint | string)) | null;

/** What an engine reads: a value for each column, as the table has them. */
export type Row = Readonly<Record<string, unknown>>;

/** About how many bytes a plant takes: two for each unit of its texts, and what an object takes. */
export function bytesOf(plant: StoredPlant): number {
  const values: unknown[] = Object.values(plant);
  return values.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 2 * value.length : 16), 0);
}

export function toPlant(row: Row): StoredPlant {
  const members = COLUMNS.flatMap((column) => (row[column] === null ? [] : [[column, row[column]]]));
  // The table has the types of the members, and is strict.
  return Object.fromEntries(members) as StoredPlant;
}

/** A row of the table `tokens`, whose times are milliseconds since 1970. */
export function readToken(row: Row): StoredToken {
  const optional = (column: string) => (row[column] === null ? undefined : Number(row[column]));
  const [expiresAt, revokedAt] = [optional('expires_at'), optional('revoked_at')];
  return {
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  };
}
