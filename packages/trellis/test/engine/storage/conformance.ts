import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Store } from '../../../src/storage/store.ts';
import { allRows, createEach } from '../../support/app.ts';
import { slowClock } from '../../support/in-time.ts';
import { testCallers } from './conformance-callers.ts';
import { testCreations } from './conformance-creations.ts';
import { testLookUps } from './conformance-look-ups.ts';
import { testQueries } from './conformance-queries.ts';
import { testTables } from './conformance-tables.ts';
import { testValues } from './conformance-values.ts';
import { testTokens } from './conformance-tokens.ts';
import { LOOKALIKES, TEXTS } from '../../support/texts.ts';
import type { Item } from '../../services/items/index.ts';

/** An engine under test: each call of `open` opens the same store, which is empty at the first call. */
export interface Engine {
  readonly open: () => Promise<Store>;
  /** Whether items, notes and kinds are spread over several servers, where no transaction may use them. */
  readonly spreads?: boolean;
}

/** Tests what packages/trellis/src/storage/engine.ts promises of every engine. */
export function testEngine(name: string, { open, spreads = false }: Engine): void {
  describe(`on ${name},`, () => {
    let store: Store;
    let nextId = 1000n;
    const newItem = (item: Partial<Item> = {}): Item => ({ id: nextId++, name: 'Ginkgo', ...item });
    // The start has compared the table with its description.
    const allItems = async () => (await allRows(store, 'items')) as unknown as Item[];
    const stored = async ({ id }: Item) => (await allItems()).find((item) => item.id === id);
    const outcomeOf = (item: Item) => store.create('items', item).catch((error: unknown) => error);

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    describe('new items', () => {
      test('the store creates an item and returns it unchanged', async () => {
        const item = newItem({ tag: 'tree' });
        expect(await store.create('items', item)).toBe('created');
        expect(await stored(item)).toEqual(item);
      });

      const ids = [2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 0n, -1n];
      test.each(ids)('the store creates an item with the id %s', async (id) => {
        const item = { id, name: `item ${String(id)}` };
        expect(await store.create('items', item)).toBe('created');
        expect(await store.create('items', item)).toBe('replayed');
        expect(await stored(item)).toEqual(item);
      });

      test('the store creates an item with each text that programs often corrupt, and returns the text unchanged', async () => {
        const items = TEXTS.flatMap((text) => [newItem({ name: text }), newItem({ tag: text })]);
        const creations = await Promise.all(items.map((item) => store.create('items', item)));
        expect(new Set(creations)).toEqual(new Set(['created']));
        const listed = new Map((await allItems()).map((item) => [item.id, item]));
        expect(items.map(({ id }) => listed.get(id))).toEqual(items);
        const replays = await Promise.all(items.map((item) => store.create('items', item)));
        expect(new Set(replays)).toEqual(new Set(['replayed']));
      });
    });

    describe('ids that exist', () => {
      test('the store answers a create whose id exists with "replayed" for the same item, and changes nothing', async () => {
        const item = newItem({ tag: 'tree' });
        await store.create('items', item);
        expect(await store.create('items', { ...item })).toBe('replayed');
        expect((await allItems()).filter(({ id }) => id === item.id)).toEqual([item]);
      });

      test.each([
        ['another name', { name: 'Other', tag: 'tree' }],
        ['another letter case', { name: 'ginkgo', tag: 'tree' }],
        ['a space at the end', { name: 'Ginkgo ', tag: 'tree' }],
        ['another tag', { name: 'Ginkgo', tag: 'Tree' }],
        ['no tag', { name: 'Ginkgo' }],
        ['an empty tag', { name: 'Ginkgo', tag: '' }],
      ])(
        'the store answers a create whose id exists with "conflict" for %s, and keeps the first item',
        async (_name, content) => {
          const item = newItem({ tag: 'tree' });
          await store.create('items', item);
          expect(await store.create('items', { id: item.id, ...content })).toBe('conflict');
          expect(await stored(item)).toEqual(item);
        },
      );

      test.each(LOOKALIKES)(
        'the store answers a create whose id exists with "conflict" if the names differ but look the same: %j and %j',
        async (one, other) => {
          const item = newItem({ name: one, tag: one });
          expect(await store.create('items', item)).toBe('created');
          expect(await store.create('items', { ...item, name: other })).toBe('conflict');
          expect(await store.create('items', { ...item, tag: other })).toBe('conflict');
          expect(await store.create('items', item)).toBe('replayed');
        },
      );
    });

    describe('concurrent creates', () => {
      test('the store, under concurrent creates, creates one of 50 identical items, and replays the others', async () => {
        const item = newItem();
        const creations = await Promise.all(Array.from({ length: 50 }, () => store.create('items', item)));
        expect(creations.toSorted()).toEqual(['created', ...Array.from({ length: 49 }, () => 'replayed')]);
      });

      test('of ten different items with one id that are created at once, the store keeps one, and answers "conflict" to nine', async () => {
        const { id } = newItem();
        const contents = Array.from({ length: 50 }, (_, index) => ({ id, name: `content ${index % 10}` }));
        const creations = await Promise.all(contents.map((item) => store.create('items', item)));
        const winner = await stored({ id, name: '' });
        expect(creations.filter((creation) => creation === 'created')).toHaveLength(1);
        contents.forEach(({ name }, index) => {
          expect(creations[index] === 'conflict').toBe(name !== winner?.name);
        });
      });

      test('of two different items with one id, each created at once through an open store of its own, the store keeps one', async () => {
        const other = await open();
        const ids = Array.from({ length: 200 }, () => newItem().id);
        const attempts = ids.flatMap((id) => [
          store.create('items', { id, name: 'from one' }),
          other.create('items', { id, name: 'from the other' }),
        ]);
        const creations = await Promise.all(attempts);
        await other.close();
        expect(creations.filter((creation) => creation === 'created')).toHaveLength(200);
        expect(creations.filter((creation) => creation === 'conflict')).toHaveLength(200);
      });

      test('the store, under concurrent creates, rejects only the item that it cannot store, among 1,000 that arrive together', async () => {
        const items = Array.from({ length: 1000 }, () => newItem());
        const bad = items.map((item, index) => (index === 500 ? { ...item, name: 'lone \ud800' } : item));
        const outcomes = await Promise.all(bad.map((item) => outcomeOf(item)));
        expect(outcomes.flatMap((outcome, index) => (typeof outcome === 'string' ? [] : [index]))).toEqual([500]);
        expect((await allItems()).filter(({ id }) => items.some((item) => item.id === id))).toHaveLength(999);
      });

      test('the store, under concurrent creates, stores only the first of several items with the same id that arrive together', async () => {
        const [one, other, third] = [newItem(), newItem({ tag: '' }), newItem()];
        await store.create('items', one);
        const items = [other, one, { ...one, tag: 'x' }, third, { ...other, tag: 'x' }, { ...other }];
        const results = ['created', 'replayed', 'conflict', 'created', 'conflict', 'replayed'];
        expect(await createEach(store, 'items', items)).toEqual(results);
        expect([await stored(one), await stored(other), await stored(third)]).toEqual([one, other, third]);
      });
    });

    test('the store lists items in the order of their ids, as they were at one moment', async () => {
      const more = Array.from({ length: 2500 }, () => newItem());
      using _slow = slowClock();
      await Promise.all(more.map((item) => store.create('items', item)));
      const listed: Item[] = [];
      const late = { id: 9223372036854775806n, name: 'late' };
      for await (const portion of store.list('items')) {
        if (listed.length === 0) await store.create('items', late);
        listed.push(...(portion as unknown as Item[]));
      }
      expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1)));
      expect(listed.some(({ id }) => id === late.id)).toBe(false);
      expect(await stored(late)).toEqual(late);
    });

    test('the store removes an item, and accepts its id for another item', async () => {
      const item = newItem();
      await store.create('items', item);
      expect(await store.remove('items', item.id)).toBe(true);
      expect(await store.remove('items', item.id)).toBe(false);
      expect(await store.create('items', { ...item, name: 'another' })).toBe('created');
    });

    const rollsBack = async () => {
      const item = newItem();
      await store.create('items', item);
      const other = newItem();
      const work = store.transaction(async ({ database }) => {
        await database.insertInto('items').values(other).execute();
        const failing = database
          .insertInto('items')
          .values({ ...item, name: 'another' })
          .execute();
        await failing.catch(() => undefined);
        return 'done';
      });
      await expect(work).rejects.toMatchObject({ name: 'ConstraintViolated', constraint: 'unique' });
      expect(await stored(other)).toBeUndefined();
      expect(await store.create('items', other)).toBe('created');
    };
    const isRefused = async () => {
      const item = newItem();
      const refused = { name: 'StoreUnavailable', message: expect.stringContaining("undistribute_table('items')") };
      const creating = store.transaction(({ create }) => create('items', item));
      await expect(creating).rejects.toMatchObject(refused);
      const querying = store.transaction(({ database }) => database.insertInto('items').values(item).execute());
      await expect(querying).rejects.toMatchObject(refused);
      expect(await stored(item)).toBeUndefined();
    };
    if (spreads) test('a transaction is refused when it uses a table that is spread', isRefused);
    else test('a transaction rolls back after a failed query, even when its work catches the error', rollsBack);

    test('the store is ready', async () => {
      await expect(store.ready()).resolves.toBeUndefined();
    });

    test('the store opens again with the same items, and needs no migration', async () => {
      const before = await allItems();
      await store.close();
      store = await open();
      expect(await allItems()).toEqual(before);
      const { before: found, now } = await store.opened;
      expect(found).toBe(now);
    });

    test('a store that is closed refuses each call', async () => {
      const closed = await open();
      await closed.close();
      const item = newItem();
      const { database, transaction } = closed;
      const query = () => database.selectFrom('items').select('id').execute();
      for (const ask of [
        () => closed.create('items', item),
        () => closed.get('items', { id: item.id } as never),
        query,
        () => database.deleteFrom('items').where('id', '=', item.id).execute(),
        () => transaction(({ create }) => create('items', item)),
        () => closed.tokens.find(new Uint8Array(32)),
      ])
        await expect(ask()).rejects.toMatchObject({ name: 'StoreUnavailable', message: 'the store is closed' });
    });

    testQueries(() => store, open, spreads);
    testLookUps(() => store, spreads);
    testTables(() => store, open);
    // These tests use transactions, which cannot use a table that is spread.
    if (!spreads) testValues(() => store);
    if (!spreads) testCallers(() => store);
    testCreations(() => store, open, spreads);
    testTokens(() => store.tokens);
  });
}
