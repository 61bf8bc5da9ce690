import { loadKysely } from './kysely.ts';
import { ofTable, type RowFormat } from './rows.ts';
import type { Database } from './queries.ts';
import type { Engine } from './engine.ts';
import type { Store } from './store.ts';
import { StoreUnavailable } from './store-errors.ts';
import { withoutNulls } from './tables.ts';

const { sql } = loadKysely();

const LIST_PORTION = 1000;
/** Longer than IMPORT_PATIENCE_MS: an export may be piped into an import that waits for its store. */
const MAX_UNREAD_MS = 120_000;
/** A query counts this many rows in a few milliseconds; a single query for all rows would delay others. */
const COUNT_PORTION = 20_000;

/** What an operator does with whole tables. */
export function listing(
  engine: Engine,
  database: Database,
  formats: ReadonlyMap<string, RowFormat>,
): Pick<Store, 'list' | 'count' | 'remove'> {
  return {
    async *list(name, columns) {
      const { columns: all, table, keyList } = ofTable(formats, name);
      const columnList = (columns ?? all).map((each) => `"${each}"`).join();
      const sql = `select ${columnList} from ${table} order by ${keyList}`;
      const portions = engine.portions({ sql, values: [], writes: false }, LIST_PORTION);
      for await (const rows of whileRead(portions, MAX_UNREAD_MS)) yield rows.map(withoutNulls);
    },
    async count(table) {
      const { key } = ofTable(formats, table);
      const refs = sql.join(key.map((column) => sql.ref(column)));
      let beyond = sql<boolean>`true`;
      for (let counted = 0; ; counted += COUNT_PORTION) {
        const some = database.selectFrom(table).select(key).where(beyond);
        const last = await some
          .orderBy(refs)
          .offset(COUNT_PORTION - 1)
          .limit(1)
          .executeTakeFirst();
        if (last === undefined) {
          const { rows } = await database
            .selectFrom(some.limit(COUNT_PORTION).as('some'))
            .select(({ fn }) => fn.countAll<bigint>().as('rows'))
            .executeTakeFirstOrThrow();
          return counted + Number(rows);
        }
        beyond = sql`(${refs}) > (${sql.join(key.map((column) => last[column]))})`;
      }
    },
    async remove(table, key) {
      const [column, ...others] = ofTable(formats, table).key;
      if (column === undefined || others.length > 0) throw new Error(`the key of ${table} must be one column`);
      const removing = database.deleteFrom(table).where(column, '=', key as bigint);
      return (await removing.executeTakeFirstOrThrow()).numDeletedRows > 0n;
    },
  };
}

/**
 * Ends a list whose reader stops reading: as long as its snapshot is open, SQLite cannot reset its log (WAL), and
 * PostgreSQL cannot remove dead rows.
 */
export async function* whileRead<T>(portions: AsyncGenerator<T>, maxUnreadMs: number): AsyncGenerator<T> {
  for await (const portion of portions) {
    const over = new AbortController();
    const timer = setTimeout(() => {
      over.abort();
      portions.return(undefined).catch(() => undefined);
    }, maxUnreadMs);
    try {
      yield portion;
    } finally {
      clearTimeout(timer);
    }
    if (over.signal.aborted)
      throw new StoreUnavailable(`the list was closed, as it was not read for ${maxUnreadMs / 1000} s: start it again`);
  }
}
