import { StoreUnusable } from './store.ts';

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
