import { RESOURCE } from '../resource.ts';
import { type Database, type Engine, type ItemStore, type Row, StoreUnavailable } from './store.ts';
import { COLUMNS, type Item, kindOf, TABLES, withoutNulls } from './tables.ts';
import { isSameJson, isSameValue, Json, requireStorable } from './values.ts';

const LIST_PORTION = 1000;
/** Longer than IMPORT_PATIENCE_MS: an export may be piped into an import that waits for its store. */
const MAX_UNREAD_MS = 120_000;
/** A query counts so many items in a few milliseconds; a count of all of them would delay other queries. */
const COUNT_PORTION = 20_000;
const [FIRST_ID, LAST_ID] = [-(2n ** 63n), 2n ** 63n - 1n];
const ITEMS = RESOURCE.many;
const JSON_COLUMNS = new Set(COLUMNS.filter((column) => kindOf(TABLES[ITEMS][column]).kind === 'json'));

export function itemStore(engine: Engine, database: Database): ItemStore {
  return {
    create: (item) => engine.create(item),
    createAll: (items) => engine.createAll(items),
    waiting: () => engine.waiting(),
    async *list() {
      const { sql, parameters } = database.selectFrom(ITEMS).select(COLUMNS).orderBy('id').compile();
      const portions = engine.portions({ sql, values: parameters, writes: false }, LIST_PORTION);
      for await (const rows of whileRead(portions, MAX_UNREAD_MS)) yield rows.map(toItem);
    },
    async count() {
      let [counted, from] = [0, FIRST_ID];
      for (;;) {
        const some = database.selectFrom(ITEMS).select('id').where('id', '>=', from).orderBy('id').limit(COUNT_PORTION);
        const { items, last } = await database
          .selectFrom(some.as('some'))
          .select(({ fn }) => [fn.countAll<bigint>().as('items'), fn.max<bigint | null>('id').as('last')])
          .executeTakeFirstOrThrow();
        counted += Number(items);
        if (items < COUNT_PORTION || last === null || last === LAST_ID) return counted;
        from = last + 1n;
      }
    },
    async remove(id) {
      const { numDeletedRows } = await database.deleteFrom(ITEMS).where('id', '=', id).executeTakeFirstOrThrow();
      return numDeletedRows > 0n;
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

export function toItem(row: Row): Item {
  // The start has checked the table against tables.ts.
  return withoutNulls(row) as Item;
}

/** The values of an item in the order of COLUMNS. @throws Error if a value cannot be stored unchanged */
export function valuesOf(item: Item): unknown[] {
  const values = COLUMNS.map((column) => {
    const value = item[column] ?? null;
    return JSON_COLUMNS.has(column) && value !== null ? new Json(value) : value;
  });
  requireStorable(values);
  return values;
}

export function isSameItem(item: Item, stored: Item | undefined): boolean {
  return COLUMNS.every((column) => {
    const isSame = JSON_COLUMNS.has(column) ? isSameJson : isSameValue;
    return isSame(item[column], stored?.[column]);
  });
}
