import { messageOf } from '../../explained-error.ts';
import type { RowFormat } from '../rows.ts';
import type { Creation, NewRow, Row } from '../store.ts';
import { StatementRejectedError } from './errors.ts';
import { SQL_TYPES } from '../tables.ts';
import type { Query, WithRetries } from './session.ts';

/** The statements of a create. */
export class Creating {
  readonly format: RowFormat;
  readonly insert: string;
  /**
   * The row locks make this commit wait until the standby has all earlier commits: a visible row may not be on the
   * standby's disk yet if its writer or the server was killed while it waited for the standby.
   */
  readonly selectDurable: string;
  /** The insert with no rows. */
  readonly insertNone: string;

  constructor(format: RowFormat) {
    const { table, columns, columnList, kinds, key, keyList } = format;
    const types = kinds.map((kind) => SQL_TYPES.postgres[kind]);
    const arrays = types.map((type, index) => `$${index + 1}::${type}[]`);
    const keys = key.map((column, index) => `$${index + 1}::${types[columns.indexOf(column)] ?? ''}[]`);
    const into = `insert into ${table} (${columnList}) select`;
    const unlessThere = `on conflict (${keyList}) do nothing returning ${keyList}`;
    const among = keys.length === 1 ? `= any(${keys.join()})` : `in (select * from unnest(${keys.join()}))`;
    this.format = format;
    this.insert = `${into} * from unnest(${arrays.join()}) ${unlessThere}`;
    this.insertNone = `${into} ${types.map((type) => `null::${type}`).join()} where false ${unlessThere}`;
    this.selectDurable = `select ${columnList} from ${table} where (${keyList}) ${among} for key share`;
  }
}

/**
 * The statements of a create with no rows, and a row lock. It needs a transaction id, so that the commit waits for the
 * standby as that of an insert does. The statement leaves no dead row. It cannot detect a full disk.
 */
export function readyStatement(creating: readonly Creating[]): string {
  const inserts = creating.map(({ insertNone }, index) => `created${index} as (${insertNone})`);
  const queries = creating.flatMap(({ format: { table, columnList } }, index) => [
    `select from created${index}`,
    `(select from ${table} where false for key share)`,
    `select ${columnList} from ${table} limit 0`,
  ]);
  return `with ${inserts.join()} select ${queries.map((query) => `exists (${query})`).join()}
  from schema_version for key share skip locked`;
}

/** How often to insert a row that another writer keeps removing, or a trigger keeps skipping. */
const MAX_TRIES = 3;

/** If PostgreSQL rejects the batch, halves it again and again to isolate the rejected rows and store all others. */
export async function createBatch(
  withRetries: WithRetries,
  creating: Creating,
  rows: readonly NewRow[],
): Promise<(Creation | Error)[]> {
  try {
    return await withRetries((query) => insert(query, creating, rows));
  } catch (error) {
    if (!(error instanceof StatementRejectedError)) throw error;
    if (rows.length === 1) {
      const stored = await find(withRetries, creating, rows);
      return rows.map((row) => (stored === undefined ? error : creating.format.outcomeOf(row, stored)));
    }
    const middle = Math.ceil(rows.length / 2);
    const first = await createBatch(withRetries, creating, rows.slice(0, middle));
    return [...first, ...(await createBatch(withRetries, creating, rows.slice(middle)))];
  }
}

/** Looks up the key of a rejected row: if the key exists, the answer is `replayed` or `conflict`. */
async function find(withRetries: WithRetries, creating: Creating, rows: readonly NewRow[]): Promise<Row | undefined> {
  try {
    const found = await withRetries((query) => query(creating.selectDurable, ...keysOf(creating, rows)));
    return found.rows[0];
  } catch (error) {
    if (error instanceof StatementRejectedError) return undefined;
    throw error;
  }
}

/** @throws StatementRejectedError if PostgreSQL rejects a row; some rows may have been stored */
export async function insert(query: Query, creating: Creating, rows: readonly NewRow[]): Promise<Creation[]> {
  const { format } = creating;
  const values = new Map(rows.map((row) => [row, storableValues(format, row)]));
  const keys = new Map(rows.map((row) => [row, format.keyOf(row.row)]));
  const firsts = new Map(rows.toReversed().map((row) => [keys.get(row), row]));
  const stored = new Map<unknown, Row | undefined>();
  const created = new Set<unknown>();
  // Two instances that insert in the order of the keys cannot deadlock.
  let missing = [...firsts].sort(([one], [other]) => ((one as bigint) < (other as bigint) ? -1 : 1));
  for (let tries = 0; missing.length > 0; tries++) {
    if (tries === MAX_TRIES)
      throw new StatementRejectedError(
        `PostgreSQL did not insert the row, and its key does not exist: check the triggers of ${format.table}`,
      );
    const arrays = format.columns.map((_column, index) => missing.map(([, row]) => values.get(row)?.[index]));
    for (const found of (await query(creating.insert, ...arrays)).rows) {
      const key = format.keyOf(found);
      created.add(key);
      stored.set(key, firsts.get(key)?.row);
    }
    const others = missing.filter(([key]) => !created.has(key)).map(([, row]) => row);
    const found = others.length > 0 ? (await query(creating.selectDurable, ...keysOf(creating, others))).rows : [];
    for (const row of found) stored.set(format.keyOf(row), row);
    missing = missing.filter(([key]) => !stored.has(key));
  }
  return rows.map((row) => {
    const key = keys.get(row);
    return created.delete(key) ? 'created' : format.outcomeOf(row, stored.get(key));
  });
}

/** Stores a row in the transaction of `query`. @throws StatementRejectedError */
export async function createWithin(query: Query, creating: Creating, row: NewRow): Promise<Creation> {
  const [creation] = await insert(query, creating, [row]);
  if (creation === undefined) throw new Error('PostgreSQL gave no outcome for a row');
  return creation;
}

/** An array for each column of the key. */
function keysOf({ format }: Creating, rows: readonly NewRow[]): unknown[][] {
  return format.key.map((column) => rows.map(({ row }) => row[column]));
}

function storableValues(format: RowFormat, { row }: NewRow): unknown[] {
  let values;
  try {
    values = format.valuesOf(row);
  } catch (error) {
    throw new StatementRejectedError(messageOf(error));
  }
  const holdsNull = values.some((value) => typeof value === 'string' && value.includes('\0'));
  if (holdsNull) throw new StatementRejectedError('a text with U+0000 cannot be stored in PostgreSQL');
  return values;
}
