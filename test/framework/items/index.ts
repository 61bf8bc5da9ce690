import type { ErrorNumber, operations } from './generated.ts';
import type { Operation, Row, Service, Tools } from '#framework';
import { layoutOf } from '../../../src/framework/storage/layout.ts';
import type { Store } from '../../../src/framework/storage/store.ts';
import { steps } from './steps.ts';
import { tables } from './tables.ts';
import type { AnyService, Handler } from '../../../src/framework/service.ts';

const ID_TAKEN = { error: 40011, message: 'a different item with this id exists' } as const;

const createItem: Operation<operations, 'createItem', Tools<typeof tables>> = async ({ body }, { create }) => {
  const creation = await create('items', body);
  if (creation === 'conflict') return { status: 400, body: ID_TAKEN };
  const { id: _, ...item } = body;
  return { status: 200, headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {}, body: item };
};

/** The service of most tests: items, and tables of every kind. */
export const items = {
  name: 'item-store',
  marker: 'item',
  contract: new URL('openapi.yaml', import.meta.url),
  tables,
  steps,
  operations: { createItem },
  records: { items: 'createItem' },
} satisfies Service<operations, typeof tables, ErrorNumber>;

/** Its operations, beside which a test puts its own. */
export const itemOperations = items.operations as AnyService['operations'] as Readonly<Record<string, Handler>>;

export type Item = Row<(typeof tables)['items']>;

/** What its stores hold. */
export const LAYOUT = layoutOf(items);

/** All items of a store, in the order of their ids. */
export async function itemsIn(store: Store): Promise<Item[]> {
  // The start has compared the table with its description.
  return (await Array.fromAsync(store.list('items'))).flat() as unknown as Item[];
}
