import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createEach } from '../../../support/app.ts';
import { inTime } from '../../../support/in-time.ts';
import { openStore } from '../../../../src/storage/open.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { LAYOUT } from '../../../services/items/index.ts';

const store = await openStore(
  LAYOUT,
  { engine: 'sqlite', path: join(temporaryFolder(), 'items.db') },
  { create: true },
);
afterAll(() => store.close());

describe('on SQLite', () => {
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

  test('an insert with `or`, which only SQLite knows, is refused, and its transaction stores no row', async () => {
    const id = 20_000n;
    await store.create('items', { id, name: 'x' });
    const givenUp = store.transaction(async ({ database }) => {
      const insert = (one: bigint) => database.insertInto('items').values({ id: one, name: 'x' }).execute();
      await insert(id + 1n);
      await Promise.all([database.insertInto('items').orFail().values({ id, name: 'x' }).execute(), insert(id + 2n)]);
    });
    await expect(givenUp).rejects.toThrow('use `onConflict`, which both engines have');
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

  test('a long query delays neither creates, transactions nor look-ups by key, nor other queries once it is known to be long', async () => {
    const items = Array.from({ length: 1800 }, (_, index) => ({ id: BigInt(1000 + index), name: 'x' }));
    await createEach(store, 'items', items);
    // The query is long, because its join has more than 3 million rows for each of the others.
    const readAll = (others: bigint) =>
      store.database
        .selectFrom(['items as one', 'items as other', 'items as third'])
        .select(({ fn }) => fn.countAll().as('all'))
        .whereRef('one.name', '<=', 'other.name')
        .where('third.id', '<', 1000n + others)
        .executeTakeFirstOrThrow();
    const lookUp = (id: bigint) => store.get('items', { id } as never);
    // Opens a thread for each.
    await Promise.all([store.database.selectFrom('items').select('id').limit(1).execute(), lookUp(1000n)]);
    let isRead = false;
    const first = readAll(1n).then(() => {
      isRead = true;
    });
    expect(await Promise.all(items.slice(0, 100).map(({ id }) => lookUp(id)))).toEqual(
      items.slice(0, 100).map((item) => ({ ...item, tag: undefined })),
    );
    // Answers of one message come in one turn.
    await setImmediate();
    expect(isRead).toBe(false);
    await first;
    let id = 10_000n;
    // A busy disk may take longer for five commits than the processor for the query.
    await inTime(async () => {
      isRead = false;
      const read = readAll(3n).then(({ all }) => {
        isRead = true;
        return all;
      });
      const found = await Promise.all(
        items
          .slice(0, 100)
          .map((item) => store.database.selectFrom('items').select('id').where('id', '=', item.id).execute()),
      );
      expect(found.flat()).toHaveLength(100);
      expect(isRead).toBe(false);
      for (let count = 0; count < 5; count++)
        expect(await store.create('items', { id: id++, name: 'x' })).toBe('created');
      await store.transaction(({ database }) =>
        database
          .deleteFrom('items')
          .where('id', '=', id - 1n)
          .execute(),
      );
      const wasRead = isRead;
      expect(await read).toBeGreaterThan(9_000_000n);
      expect(wasRead).toBe(false);
    });
  });
});
