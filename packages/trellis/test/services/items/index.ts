import type { Row } from '../../../src/storage/tables.ts';
import { formatsOf, newRow, RowFormat } from '../../../src/storage/rows.ts';
import { layoutOf } from '../../../src/storage/layout.ts';
import type { NewRow } from '../../../src/storage/engine.ts';
import type { Store } from '../../../src/storage/store.ts';
import { items } from './service.ts';
import type { tables } from './tables.ts';

export { itemOperations, items } from './service.ts';

export type Item = Row<(typeof tables)['items']>;

/** The tables and the steps of its stores. */
export const LAYOUT = layoutOf(items);

const formats = formatsOf(LAYOUT.tables, RowFormat);

/** An item as an engine takes it. */
export function itemRow(item: Item): NewRow {
  return newRow(formats, 'items', item);
}

/** All items of a store, in the order of their ids. */
export async function itemsIn(store: Store): Promise<Item[]> {
  // The start has compared the table with its description.
  return (await Array.fromAsync(store.list('items'))).flat() as unknown as Item[];
}
