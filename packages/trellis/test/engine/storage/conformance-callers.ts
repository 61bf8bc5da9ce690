import { describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/storage/store.ts';
import { asCaller } from '../../../src/storage/caller.ts';

let nextId = 2_000_000n;

/** Tests that one caller of the store, whatever it asks, delays no other. */
export function testCallers(getStore: () => Store): void {
  describe('beside one caller', () => {
    const rowOf = async (name: string) => {
      const id = nextId++;
      await getStore().create('items', { id, name });
      return id;
    };
    const addOne = (id: bigint) =>
      getStore().transaction(async ({ database }) => {
        const found = database.selectFrom('items').select('name').where('id', '=', id);
        const { name } = await found.executeTakeFirstOrThrow();
        const set = { name: String(Number(name) + 1) };
        await database.updateTable('items').set(set).where('id', '=', id).execute();
      });
    /** What another caller asks, one after the other. */
    const askEach = async (id: bigint) => {
      const { get, create, database } = getStore();
      const own = database.updateTable('items').where('id', '=', id);
      for (let times = 0; times < 3; times++) {
        await addOne(id);
        await own.set({ tag: String(times) }).execute();
        await database.selectFrom('items').selectAll().where('id', '=', id).execute();
        await create('items', { id: nextId++, name: 'beside' });
      }
      return await get('items', { id } as never);
    };

    test('that changes one row in 300 transactions at once, another caller gets all answers', async () => {
      const [hot, own] = [await rowOf('0'), await rowOf('0')];
      const over = new AbortController();
      const crowd = asCaller('crowd', () =>
        Array.from({ length: 300 }, async () => {
          while (!over.signal.aborted) await addOne(hot).catch(() => undefined);
        }),
      );
      const asked = asCaller('other', () => askEach(own));
      await asked.finally(() => over.abort()).catch(() => undefined);
      await Promise.all(crowd);
      expect(await asked).toMatchObject({ name: '3', tag: '2' });
    });
  });
}
