import { readFileSync } from 'node:fs';
import { ErrorNumber } from '../../src/framework/contract/errors.ts';
import type { Handler } from '../../src/framework/http/router.ts';
import type { Item } from '../../src/framework/storage/store.ts';
import { startApp, type TestApp } from './app.ts';

/** A contract with one operation, for tests of what the service does before and after an operation. */
export const SMALL = readFileSync(new URL('small.yaml', import.meta.url), 'utf8');

/** The operation of SMALL, which stores plants. */
export const keep: Handler = async ({ body }, { plants }) => {
  const { id: _, ...plant } = body as Item;
  const creation = await plants.create(body as Item);
  if (creation === 'conflict')
    return { status: 400, body: { error: ErrorNumber.contractBroken, message: 'another plant has this id' } };
  return { status: 200, headers: { 'Idempotent-Replayed': creation === 'replayed' }, body: plant };
};

/** Starts a service with the contract SMALL. */
export function startSmall(options: Parameters<typeof startApp>[0] = {}): Promise<TestApp> {
  return startApp({ yaml: SMALL, operations: { createPlant: keep }, ...options });
}
