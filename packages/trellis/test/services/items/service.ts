import type { ErrorNumber, operations } from './generated/openapi.ts';
import type { Operation, Service, Tools } from 'trellis';
import { steps } from './steps.ts';
import { tables } from './tables.ts';
import type { AnyService, Handler } from '../../../src/service.ts';

const ID_TAKEN = { error: 40011, message: 'a different item with this id exists' } as const;

const createItem: Operation<operations, 'createItem', Tools<typeof tables>> = async ({ body }, { create }) => {
  const creation = await create('items', body);
  if (creation === 'conflict') return { status: 400, body: ID_TAKEN };
  const { name, tag } = body;
  return { status: 200, headers: creation === 'replayed' ? { 'Idempotent-Replayed': true } : {}, body: { name, tag } };
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

/** Its operations, to which a test adds its own. */
export const itemOperations = items.operations as AnyService['operations'] as Readonly<Record<string, Handler>>;
