import { COLUMN_LIST, COLUMNS, type Row, type Value } from '../columns.ts';
import type { StoredPlant } from '../store.ts';

export const INSERT = `insert into plants (${COLUMN_LIST}) values (${COLUMNS.map(() => '?').join()}) on conflict do nothing`;
export const SELECT_ONE = `select ${COLUMN_LIST} from plants where id = ?`;
export const SELECT_ALL = `select ${COLUMN_LIST} from plants order by id`;
/** Counts the plants from an id on, as many as a portion has, and tells the last one of them. */
export const COUNT_SOME =
  'select count(*) as plants, max(id) as last from (select id from plants where id >= ? order by id limit ?)';
export const DELETE_ONE = 'delete from plants where id = ?';

/** The values of plants, plant by plant and column by column: one flat array crosses threads faster than many objects. */
export function toValues(plants: readonly StoredPlant[]): Value[] {
  return plants.flatMap((plant) => COLUMNS.map((column) => plant[column] ?? null));
}

/** The values of each plant. */
export function* eachPlant(values: readonly Value[]): Generator<Value[]> {
  for (let start = 0; start < values.length; start += COLUMNS.length) yield values.slice(start, start + COLUMNS.length);
}

export function isSame(values: readonly Value[], row: Row | undefined): boolean {
  return row !== undefined && COLUMNS.every((column, index) => row[column] === values[index]);
}
