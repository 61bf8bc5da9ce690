import { COLUMN_LIST, COLUMNS, isSame, type Row, SQL_TYPES, textsOf } from '../columns.ts';
import type { Outcome, StoredPlant } from '../store.ts';
import { StatementRejectedError } from './errors.ts';
import type { Query, WithRetries } from './session.ts';

const ARRAYS = COLUMNS.map((column, index) => `$${index + 1}::${SQL_TYPES[column]}[]`);
const INSERT = `insert into plants (${COLUMN_LIST}) select * from unnest(${ARRAYS.join()}) on conflict (id) do nothing returning id`;
/**
 * It locks the rows, so that its commit waits until the standby has all earlier commits: a plant that can be seen may
 * not be on the disk of a synchronous standby yet, as its writer or the server was killed while it waited.
 */
const SELECT_DURABLE = `select ${COLUMN_LIST} from plants where id = any($1::bigint[]) for key share`;

/** How often a plant is looked for that is neither taken nor there. */
const MAX_TRIES = 3;

/**
 * Creates plants as `PlantStore.create` says for each, in few statements. It finds a plant that
 * PostgreSQL rejects by halves, and stores the others.
 *
 * @throws what `withRetries` does, for all
 */
export async function createBatch(withRetries: WithRetries, plants: readonly StoredPlant[]): Promise<Outcome[]> {
  try {
    return await withRetries((query) => insert(query, plants));
  } catch (error) {
    if (!(error instanceof StatementRejectedError)) throw error;
    if (plants.length === 1) {
      const stored = await find(withRetries, plants);
      return plants.map((plant) => (stored === undefined ? error : compare(plant, stored)));
    }
    const middle = Math.ceil(plants.length / 2);
    const first = await createBatch(withRetries, plants.slice(0, middle));
    return [...first, ...(await createBatch(withRetries, plants.slice(middle)))];
  }
}

/** What is stored under the id of a plant that PostgreSQL rejects: its content may be no good where its id exists. */
async function find(withRetries: WithRetries, plants: readonly StoredPlant[]): Promise<Row | undefined> {
  try {
    const ids = plants.map(({ id }) => id);
    const [row] = await withRetries((query) => query(SELECT_DURABLE, ids));
    return row;
  } catch (error) {
    if (error instanceof StatementRejectedError) return undefined;
    throw error;
  }
}

/**
 * Creates plants, all or, if one of them is rejected, perhaps some. What it answers for is committed.
 *
 * @throws StatementRejectedError
 */
async function insert(query: Query, plants: readonly StoredPlant[]): Promise<Outcome[]> {
  // PostgreSQL rejects U+0000, and a lone surrogate would not reach it as it is.
  if (!plants.flatMap(textsOf).every((text) => text.isWellFormed() && !text.includes('\0'))) {
    throw new StatementRejectedError('a text with U+0000 or a lone surrogate cannot be stored as it is');
  }
  const firsts = new Map<unknown, StoredPlant>(plants.toReversed().map((plant) => [plant.id, plant]));
  const stored = new Map<unknown, Row | StoredPlant | undefined>();
  const created = new Set<unknown>();
  // In the order of the ids, so that two instances never wait for each other.
  let missing = Array.from(firsts.values()).sort((one, other) => (one.id < other.id ? -1 : 1));
  for (let tries = 0; missing.length > 0; tries++) {
    // Again if a plant was removed between the two statements. A trigger of the operator may keep it out each time.
    if (tries === MAX_TRIES) throw new StatementRejectedError('PostgreSQL neither takes a plant nor has it');
    for (const { id } of await query(INSERT, ...COLUMNS.map((column) => missing.map((plant) => plant[column])))) {
      created.add(id);
      stored.set(id, firsts.get(id));
    }
    const ids = missing.map(({ id }) => id).filter((id) => !created.has(id));
    for (const row of ids.length > 0 ? await query(SELECT_DURABLE, ids) : []) stored.set(row['id'], row);
    missing = missing.filter(({ id }) => !stored.has(id));
  }
  return plants.map((plant) => {
    // Of plants with one id the first was inserted.
    if (created.delete(plant.id)) return 'created';
    return compare(plant, stored.get(plant.id));
  });
}

function compare(plant: StoredPlant, stored: Row | StoredPlant | undefined): Outcome {
  return isSame(plant, stored) ? 'replayed' : 'conflict';
}
