import { messageOf } from '../../explained-error.ts';
import { RESOURCE } from '../../resource.ts';
import { isSameItem, toItem, valuesOf } from '../items.ts';
import type { Outcome } from '../store.ts';
import { COLUMN_LIST, COLUMNS, type Item, kindOf, SELECT_NONE, TABLES } from '../tables.ts';
import { StatementRejectedError } from './errors.ts';
import type { Query, WithRetries } from './session.ts';
import { SQL_TYPES } from './values.ts';

const ITEMS = RESOURCE.many;
const ARRAYS = COLUMNS.map((column, index) => `$${index + 1}::${SQL_TYPES[kindOf(TABLES[ITEMS][column]).kind]}[]`);
const INSERT = `insert into ${ITEMS} (${COLUMN_LIST}) select * from unnest(${ARRAYS.join()}) on conflict (id) do nothing returning id`;
/**
 * The row locks make this commit wait until the standby has all earlier commits: a visible item may not be on the
 * standby's disk yet if its writer or the server was killed while it waited for the standby.
 */
const SELECT_DURABLE = `select ${COLUMN_LIST} from ${ITEMS} where id = any($1::bigint[]) for key share`;

/**
 * The statements of a create with no rows, and a row lock. It needs a transaction id, so that the commit waits for the
 * standby as that of an insert does. The statement leaves no dead row. It cannot detect a full disk.
 */
const READY = `with created as (${INSERT}), replayed as (${SELECT_DURABLE})
  select ${['select from created', 'select from replayed', ...SELECT_NONE].map((query) => `exists (${query})`).join()}
  from schema_version for key share skip locked`;
const NO_ROWS = COLUMNS.map(() => []);

export async function tryNone(query: Query): Promise<void> {
  await query(READY, ...NO_ROWS);
}

/** How often to insert an item that another writer keeps removing, or a trigger keeps skipping. */
const MAX_TRIES = 3;

/** If PostgreSQL rejects the batch, halves it again and again to isolate the rejected items and store all others. */
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

/** Looks up the id of a rejected item: if the id exists, the answer is `replayed` or `conflict`. */
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

/** @throws StatementRejectedError if PostgreSQL rejects an item; some items may have been stored */
export async function insert(query: Query, items: readonly Item[]): Promise<Outcome[]> {
  const values = new Map(items.map((item) => [item, storableValues(item)]));
  const firsts = new Map<unknown, Item>(items.toReversed().map((item) => [item.id, item]));
  const stored = new Map<unknown, Item | undefined>();
  const created = new Set<unknown>();
  // Two instances that insert in the order of the ids cannot deadlock.
  let missing = Array.from(firsts.values()).sort((one, other) => (one.id < other.id ? -1 : 1));
  for (let tries = 0; missing.length > 0; tries++) {
    if (tries === MAX_TRIES)
      throw new StatementRejectedError(
        `PostgreSQL did not insert the ${RESOURCE.one}, and its id does not exist: check the triggers of ${ITEMS}`,
      );
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
    if (created.delete(item.id)) return 'created';
    return compare(item, stored.get(item.id));
  });
}

function compare(item: Item, stored: Item | undefined): Outcome {
  return isSameItem(item, stored) ? 'replayed' : 'conflict';
}

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
