import { RESOURCE } from '../resource.ts';
import { type Database, type Engine, type ItemStore, type Row, StoreUnavailable } from './store.ts';
import { COLUMNS, type Item, kindOf, TABLES, withoutNulls } from './tables.ts';
import { isSameJson, isSameValue, Json, requireStorable } from './values.ts';

/** How many items `list` hands out at a time. */
const PORTION = 1000;
/** How long a portion may stay unread, in milliseconds: longer than an import behind a pipe waits for its store. */
const MAX_UNREAD_MS = 120_000;
/** How many items `count` counts at a time, which takes a few milliseconds: one count of all would hold others up. */
const COUNT_PORTION = 20_000;
const [FIRST_ID, LAST_ID] = [-(2n ** 63n), 2n ** 63n - 1n];
const ITEMS = RESOURCE.many;
const JSON_COLUMNS = new Set(COLUMNS.filter((column) => kindOf(TABLES[ITEMS][column]).kind === 'json'));

/** The store of items on an engine, which creates them by its own hand. */
export function itemStore(engine: Engine, database: Database): ItemStore {
  return {
    create: (item) => engine.create(item),
    createAll: (items) => engine.createAll(items),
    waiting: () => engine.waiting(),
    async *list() {
      const { sql, parameters } = database.selectFrom(ITEMS).select(COLUMNS).orderBy('id').compile();
      const portions = engine.portions({ sql, values: parameters, writes: false }, PORTION);
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
 * Ends a list that is not read: as long as it sees the items of its moment, SQLite cannot begin its log (WAL) anew, nor
 * PostgreSQL remove dead rows.
 */
export async function* whileRead<T>(portions: AsyncGenerator<T>, ms: number): AsyncGenerator<T> {
  for await (const portion of portions) {
    const over = new AbortController();
    const timer = setTimeout(() => {
      over.abort();
      portions.return(undefined).catch(() => undefined);
    }, ms);
    try {
      yield portion;
    } finally {
      clearTimeout(timer);
    }
    if (over.signal.aborted)
      throw new StoreUnavailable(`the list was not read for ${ms / 1000} s, which holds up the store`);
  }
}

/** A row of the table of items. */
export function toItem(row: Row): Item {
  // The start has compared the table with what tables.ts describes.
  return withoutNulls(row) as Item;
}

/** The values of the columns of an item, in their order. @throws Error if one cannot be stored as it is */
export function valuesOf(item: Item): unknown[] {
  const values = COLUMNS.map((column) => {
    const value = item[column] ?? null;
    return JSON_COLUMNS.has(column) && value !== null ? new Json(value) : value;
  });
  requireStorable(values);
  return values;
}

/** Whether an item is the one that is stored. */
export function isSameItem(item: Item, stored: Item | undefined): boolean {
  return COLUMNS.every((column) => {
    const isSame = JSON_COLUMNS.has(column) ? isSameJson : isSameValue;
    return isSame(item[column], stored?.[column]);
  });
}
