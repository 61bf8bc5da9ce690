import { messageOf } from '../../explained-error.ts';
import { RESOURCE } from '../../resource.ts';
import { isSameItem, toItem, valuesOf } from '../items.ts';
import type { Outcome } from '../store.ts';
import { COLUMN_LIST, COLUMNS, type Item, kindOf, TABLES } from '../tables.ts';
import { StatementRejectedError } from './errors.ts';
import type { Query, WithRetries } from './session.ts';
import { SQL_TYPES } from './values.ts';

const ITEMS = RESOURCE.many;
const ARRAYS = COLUMNS.map((column, index) => `$${index + 1}::${SQL_TYPES[kindOf(TABLES[ITEMS][column]).kind]}[]`);
const INSERT = `insert into ${ITEMS} (${COLUMN_LIST}) select * from unnest(${ARRAYS.join()}) on conflict (id) do nothing returning id`;
/**
 * It locks the rows, so that its commit waits until the standby has all earlier commits: an item that can be seen may
 * not be on the disk of a synchronous standby yet, as its writer or the server was killed while it waited.
 */
const SELECT_DURABLE = `select ${COLUMN_LIST} from ${ITEMS} where id = any($1::bigint[]) for key share`;

/** How often an item is looked for that is neither taken nor there. */
const MAX_TRIES = 3;

/**
 * Creates items as `Creator.create` says for each, in few statements. It finds an item that
 * PostgreSQL rejects by halves, and stores the others.
 *
 * @throws what `withRetries` does, for all
 */
export async function createBatch(withRetries: WithRetries, items: readonly Item[]): Promise<Outcome[]> {
  try {
    return await withRetries((query) => insert(query, items));
  } catch (error) {
    if (!(error instanceof StatementRejectedError)) throw error;
    if (items.length === 1) {
      const stored = await find(withRetries, items);
      return items.map((item) => (stored === undefined ? error : compare(item, stored)));
    }
    const middle = Math.ceil(items.length / 2);
    const first = await createBatch(withRetries, items.slice(0, middle));
    return [...first, ...(await createBatch(withRetries, items.slice(middle)))];
  }
}

/** What is stored under the id of an item that PostgreSQL rejects: its content may be no good where its id exists. */
async function find(withRetries: WithRetries, items: readonly Item[]): Promise<Item | undefined> {
  try {
    const ids = items.map(({ id }) => id);
    const { rows } = await withRetries((query) => query(SELECT_DURABLE, ids));
    return rows.map(toItem)[0];
  } catch (error) {
    if (error instanceof StatementRejectedError) return undefined;
    throw error;
  }
}

/**
 * Creates items, all or, if one of them is rejected, perhaps some. What it answers for is committed.
 *
 * @throws StatementRejectedError
 */
async function insert(query: Query, items: readonly Item[]): Promise<Outcome[]> {
  const values = new Map(items.map((item) => [item, storableValues(item)]));
  const firsts = new Map<unknown, Item>(items.toReversed().map((item) => [item.id, item]));
  const stored = new Map<unknown, Item | undefined>();
  const created = new Set<unknown>();
  // In the order of the ids, so that two instances never wait for each other.
  let missing = Array.from(firsts.values()).sort((one, other) => (one.id < other.id ? -1 : 1));
  for (let tries = 0; missing.length > 0; tries++) {
    // Again if an item was removed between the two statements. A trigger of the operator may keep it out each time.
    if (tries === MAX_TRIES)
      throw new StatementRejectedError(`PostgreSQL neither takes the ${RESOURCE.one} nor has it`);
    const arrays = COLUMNS.map((_column, index) => missing.map((item) => values.get(item)?.[index]));
    for (const { id } of (await query(INSERT, ...arrays)).rows) {
      created.add(id);
      stored.set(id, firsts.get(id));
    }
    const ids = missing.map(({ id }) => id).filter((id) => !created.has(id));
    for (const row of ids.length > 0 ? (await query(SELECT_DURABLE, ids)).rows : []) stored.set(row['id'], toItem(row));
    missing = missing.filter(({ id }) => !stored.has(id));
  }
  return items.map((item) => {
    // Of items with one id the first was inserted.
    if (created.delete(item.id)) return 'created';
    return compare(item, stored.get(item.id));
  });
}

function compare(item: Item, stored: Item | undefined): Outcome {
  return isSameItem(item, stored) ? 'replayed' : 'conflict';
}

/** @throws StatementRejectedError for U+0000, which PostgreSQL rejects, and for a lone surrogate */
function storableValues(item: Item): unknown[] {
  let values;
  try {
    values = valuesOf(item);
  } catch (error) {
    throw new StatementRejectedError(messageOf(error));
  }
  const holdsNull = values.some((value) => typeof value === 'string' && value.includes('\0'));
  if (holdsNull) throw new StatementRejectedError('a text with U+0000 cannot be stored in PostgreSQL');
  return values;
}
