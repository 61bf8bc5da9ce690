import type { StoredPlant } from '../plant-store.ts';

/** The columns of the table `plants` are the members of a plant. One that is missing here does not compile. */
const MEMBERS: Readonly<Record<keyof StoredPlant, true>> = { id: true, name: true, tag: true };
const COLUMNS = Object.keys(MEMBERS) as (keyof StoredPlant)[];

/** A value of a column; what a plant does not have is null. */
export type Value = (StoredPlant[keyof StoredPlant] & (bigint | string)) | null;

export const INSERT = `insert into plants (${COLUMNS.join()}) values (${COLUMNS.map(() => '?').join()}) on conflict do nothing`;
export const SELECT_ONE = `select ${COLUMNS.join()} from plants where id = ?`;
export const SELECT_ALL = `select ${COLUMNS.join()} from plants order by id`;
export const DELETE_ONE = 'delete from plants where id = ?';

/** The values of plants, plant by plant and column by column: one flat array crosses threads faster than many objects. */
export function toValues(plants: readonly StoredPlant[]): Value[] {
  return plants.flatMap((plant) => COLUMNS.map((column) => plant[column] ?? null));
}

/** The values of each plant. */
export function* eachPlant(values: readonly Value[]): Generator<Value[]> {
  for (let start = 0; start < values.length; start += COLUMNS.length) yield values.slice(start, start + COLUMNS.length);
}

export function isSame(values: readonly Value[], row: Readonly<Record<string, unknown>> | undefined): boolean {
  return row !== undefined && COLUMNS.every((column, index) => row[column] === values[index]);
}

export function toPlant(row: Readonly<Record<string, unknown>>): StoredPlant {
  const members = COLUMNS.flatMap((column) => (row[column] === null ? [] : [[column, row[column]]]));
  // The table has the types of the members, and is strict.
  return Object.fromEntries(members) as StoredPlant;
}
