import { type StoredPlant, type StoredToken, StoreUnusable } from './store.ts';

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

/** A row of the table `tokens`, whose times are milliseconds since 1970. */
export function toToken(row: Row): StoredToken {
  const optional = (column: string) => (row[column] === null ? undefined : Number(row[column]));
  const [expiresAt, revokedAt] = [optional('expires_at'), optional('revoked_at')];
  return {
    name: String(row['name']),
    createdAt: Number(row['created_at']),
    ...(expiresAt === undefined ? {} : { expiresAt }),
    ...(revokedAt === undefined ? {} : { revokedAt }),
  };
}

/**
 * Compares the schema that a database has with the one that this version knows.
 *
 * @param create whether an older schema is about to be brought up to date
 * @throws StoreUnusable if it cannot be used
 */
export function requireSchema(database: string, found: number, known: number, create: boolean): void {
  const has = `${database} has schema ${found}`;
  if (found > known) throw new StoreUnusable(`${has}, of a newer plant-store; this one knows ${known}`);
  if (found < known && !create) throw new StoreUnusable(`${has}, an older one: run \`migrate\` first`);
}
