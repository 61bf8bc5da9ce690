import type { StoredPlant } from './store.ts';

/**
 * The columns of the table `plants`, with their types in SQL, are the members of a plant. One that is missing here does
 * not compile.
 */
export const SQL_TYPES: Readonly<Record<keyof StoredPlant, 'bigint' | 'text'>> = {
  id: 'bigint',
  name: 'text',
  tag: 'text',
};
export const COLUMNS = Object.keys(SQL_TYPES) as (keyof StoredPlant)[];
/** As SQL has them: without quotes PostgreSQL would take their capitals for small letters. */
export const COLUMN_LIST = COLUMNS.map((column) => `"${column}"`).join();

/** What an engine reads: a value for each column, as the table has them. */
export type Row = Readonly<Record<string, unknown>>;

/** The texts of a plant. */
export function textsOf(plant: StoredPlant): string[] {
  return COLUMNS.map((column) => plant[column]).filter((value) => typeof value === 'string');
}

export function toPlant(row: Row): StoredPlant {
  const members = COLUMNS.flatMap((column) => (row[column] === null ? [] : [[column, row[column]]]));
  // The table has the types of the members, and is strict.
  return Object.fromEntries(members) as StoredPlant;
}

/** Whether a plant is the one that is stored. */
export function isSame(plant: StoredPlant, stored: Row | StoredPlant | undefined): boolean {
  return COLUMNS.every((column) => (plant[column] ?? null) === (stored?.[column] ?? null));
}
