import { COLUMN_LIST, COLUMNS, type Row, TYPES } from '../columns.ts';
import type { StoredPlant } from '../store.ts';
import { Refused } from './errors.ts';
import { type Run, statement } from './statement.ts';

const ARRAYS = COLUMNS.map((column, index) => `$${index + 1}::${TYPES[column]}[]`);
const INSERT = statement(
  `insert into plants (${COLUMN_LIST}) select * from unnest(${ARRAYS.join()}) on conflict (id) do nothing returning id`,
);
/**
 * The lock is there for what it writes: a plant that can be seen may not be on the disk of a synchronous standby yet,
 * as its writer or the server was killed while it waited. The commit of this waits for all that was written before.
 */
const SELECT_DURABLE = statement(`select ${COLUMN_LIST} from plants where id = any($1::bigint[]) for key share`);
export const SELECT_ALL = `select ${COLUMN_LIST} from plants order by id`;
export const COUNT_ALL = statement('select count(*) as plants from plants');
export const DELETE_ONE = statement('delete from plants where id = $1::bigint returning id');

/** How often a plant is looked for that is neither taken nor there. */
const MOST_TRIES = 3;

/** What is stored under an id, and whether it was put there now. */
export interface Kept {
  readonly created: boolean;
  readonly content: Row | StoredPlant;
}

/**
 * Stores plants of different ids unless their ids exist. What it answers for is committed. In the order of the ids, so
 * that two instances never wait for each other.
 */
export async function insert(run: Run, plants: readonly StoredPlant[]): Promise<Map<bigint, Kept>> {
  const kept = new Map<bigint, Kept>();
  const sorted = plants.toSorted((one, other) => (one.id < other.id ? -1 : 1));
  let missing = sorted;
  for (let tries = 0; missing.length > 0; tries++) {
    // Again if a plant was removed between the two statements; a trigger may have made away with it.
    if (tries === MOST_TRIES) throw new Refused('PostgreSQL neither takes a plant nor has it');
    const columns = COLUMNS.map((column) => missing.map((plant) => plant[column]));
    const created = new Set((await run(INSERT, ...columns)).map(({ id }) => id));
    for (const plant of missing) if (created.has(plant.id)) kept.set(plant.id, { created: true, content: plant });
    const ids = missing.filter(({ id }) => !created.has(id)).map(({ id }) => id);
    if (ids.length === 0) break;
    for (const row of await run(SELECT_DURABLE, ids)) {
      // The type of the column, which the client reads as a bigint.
      kept.set(row['id'] as bigint, { created: false, content: row });
    }
    missing = missing.filter(({ id }) => !kept.has(id));
  }
  return kept;
}

/** Whether PostgreSQL keeps the texts as they are: it refuses U+0000, and what is no UTF-8 never reaches it whole. */
export function isStorable(plant: StoredPlant): boolean {
  return COLUMNS.every((column) => {
    const value = plant[column];
    return typeof value !== 'string' || (value.isWellFormed() && !value.includes('\0'));
  });
}

export function isSame(plant: StoredPlant, content: Kept['content']): boolean {
  return COLUMNS.every((column) => (plant[column] ?? null) === (content[column] ?? null));
}
