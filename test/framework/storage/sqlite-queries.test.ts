import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createEach } from '../../support/app.ts';
import { openStore } from '../../../src/framework/storage/open.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { LAYOUT } from '../items/index.ts';

const store = await openStore(
  LAYOUT,
  { engine: 'sqlite', path: join(temporaryFolder(), 'items.db') },
  { create: true },
);
afterAll(() => store.close());

describe('on SQLite', () => {
  test('a create and a token look-up wait for one transaction, not for all that are queued', async () => {
    let done = 0;
    const waiting = Array.from({ length: 20 }, () =>
      store.transaction(async ({ database }) => {
        await sleep(50);
        await database.selectFrom('items').select('id').limit(1).execute();
        done++;
      }),
    );
    await store.create('items', { id: 19_999n, name: 'between' });
    await store.tokens.find(new Uint8Array(32));
    expect(done).toBeLessThan(10);
    await Promise.all(waiting);
  });

  test('a transaction fails when it waits too long for its turn', async () => {
    const hangs = store.transaction(() => sleep(3000));
    const late = store.transaction(({ database }) => database.deleteFrom('items').execute());
    await expect(late).rejects.toMatchObject({ name: 'StoreUnavailable', message: 'too many queries are under way' });
    await hangs;
    expect(await store.count('items')).toBeGreaterThan(0);
  });

  test('the store completes queued transactions and queries before it closes', async () => {
    const location = { engine: 'sqlite', path: join(temporaryFolder(), 'items.db') } as const;
    const closed = await openStore(LAYOUT, location, { create: true });
    const works = Array.from({ length: 20 }, (_, id) =>
      closed.transaction(({ database }) =>
        database
          .insertInto('items')
          .values({ id: BigInt(id), name: 'x' })
          .execute(),
      ),
    );
    const reads = Array.from({ length: 20 }, () => closed.database.selectFrom('items').select('id').execute());
    await closed.close();
    await Promise.all([...works, ...reads]);
  });

  test('a transaction that SQLite itself rolls back stores no row, not even of concurrent statements', async () => {
    const id = 20_000n;
    await store.create('items', { id, name: 'x' });
    const givenUp = store.transaction(async ({ database }) => {
      const insert = (one: bigint) => database.insertInto('items').values({ id: one, name: 'x' }).execute();
      await insert(id + 1n);
      await Promise.all([
        database.insertInto('items').orRollback().values({ id, name: 'x' }).execute(),
        insert(id + 2n),
      ]);
    });
    await expect(givenUp).rejects.toMatchObject({ name: 'ConstraintViolated' });
    const left = store.database.selectFrom('items').select('id').where('id', '>=', id);
    expect(await left.execute()).toEqual([{ id }]);
  });

  test('a store that has run a query leaves only the database file when it closes', async () => {
    const folder = temporaryFolder();
    const read = await openStore(LAYOUT, { engine: 'sqlite', path: join(folder, 'items.db') }, { create: true });
    await read.database.selectFrom('items').select('id').execute();
    await read.close();
    expect(readdirSync(folder)).toEqual(['items.db']);
  });

  test('a long query delays neither creates nor transactions', async () => {
    const items = Array.from({ length: 3000 }, (_, index) => ({ id: BigInt(1000 + index), name: 'x' }));
    await createEach(store, 'items', items);
    let isRead = false;
    // The query is long, because its join has more than 27 million rows.
    const read = store.database
      .selectFrom(['items as one', 'items as other', 'items as third'])
      .select(({ fn }) => fn.countAll().as('all'))
      .whereRef('one.name', '<=', 'other.name')
      .where('third.id', '<', 1003n)
      .executeTakeFirstOrThrow()
      .then(({ all }) => {
        isRead = true;
        return all;
      });
    for (let id = 10_000n; id < 10_020n; id++) expect(await store.create('items', { id, name: 'x' })).toBe('created');
    await store.transaction(({ database }) => database.deleteFrom('items').where('id', '=', 10_000n).execute());
    expect(isRead).toBe(false);
    expect(await read).toBeGreaterThan(27_000_000n);
  });
});
