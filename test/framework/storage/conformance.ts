import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Store, Item } from '../../../src/framework/storage/store.ts';
import { allPlants } from '../../support/app.ts';
import { testQueries } from './conformance-queries.ts';
import { testTokens } from './conformance-tokens.ts';
import { LOOKALIKES, TEXTS } from './texts.ts';

/** An engine under test: each call of `open` opens the same store, which is empty at the first call. */
export interface Engine {
  readonly open: () => Promise<Store>;
}

/** Tests what src/framework/storage/store.ts promises of every engine. */
export function testEngine(name: string, { open }: Engine): void {
  describe(`on ${name},`, () => {
    let store: Store;
    let nextId = 1000n;
    const newPlant = (plant: Partial<Item> = {}): Item => ({ id: nextId++, name: 'Ginkgo', ...plant });
    const stored = async ({ id }: Item) => (await allPlants(store)).find((plant) => plant.id === id);

    const outcomeOf = (plant: Item) => store.items.create(plant).catch((error: unknown) => error);

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    describe('the store creates a plant', () => {
      test('and returns it unchanged', async () => {
        const plant = newPlant({ tag: 'tree' });
        expect(await store.items.create(plant)).toBe('created');
        expect(await stored(plant)).toEqual(plant);
      });

      const ids = [2n ** 53n, 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n), 0n, -1n];
      test.each(ids)('with the id %s', async (id) => {
        const plant = { id, name: `plant ${String(id)}` };
        expect(await store.items.create(plant)).toBe('created');
        expect(await store.items.create(plant)).toBe('replayed');
        expect(await stored(plant)).toEqual(plant);
      });

      test('with each text that programs often corrupt, and returns the text unchanged', async () => {
        const plants = TEXTS.flatMap((text) => [newPlant({ name: text }), newPlant({ tag: text })]);
        const creations = await Promise.all(plants.map((plant) => store.items.create(plant)));
        expect(new Set(creations)).toEqual(new Set(['created']));
        const listed = new Map((await allPlants(store)).map((plant) => [plant.id, plant]));
        expect(plants.map(({ id }) => listed.get(id))).toEqual(plants);
        const replays = await Promise.all(plants.map((plant) => store.items.create(plant)));
        expect(new Set(replays)).toEqual(new Set(['replayed']));
      });
    });

    describe('the store answers a create whose id exists', () => {
      test('with "replayed" for the same plant, and changes nothing', async () => {
        const plant = newPlant({ tag: 'tree' });
        await store.items.create(plant);
        expect(await store.items.create({ ...plant })).toBe('replayed');
        expect((await allPlants(store)).filter(({ id }) => id === plant.id)).toEqual([plant]);
      });

      test.each([
        ['another name', { name: 'Other', tag: 'tree' }],
        ['another letter case', { name: 'ginkgo', tag: 'tree' }],
        ['a space at the end', { name: 'Ginkgo ', tag: 'tree' }],
        ['another tag', { name: 'Ginkgo', tag: 'Tree' }],
        ['no tag', { name: 'Ginkgo' }],
        ['an empty tag', { name: 'Ginkgo', tag: '' }],
      ])('with "conflict" for %s, and keeps the first plant', async (_name, content) => {
        const plant = newPlant({ tag: 'tree' });
        await store.items.create(plant);
        expect(await store.items.create({ id: plant.id, ...content })).toBe('conflict');
        expect(await stored(plant)).toEqual(plant);
      });

      test.each(LOOKALIKES)('with "conflict" if the names differ but look the same: %j and %j', async (one, other) => {
        const plant = newPlant({ name: one, tag: one });
        expect(await store.items.create(plant)).toBe('created');
        expect(await store.items.create({ ...plant, name: other })).toBe('conflict');
        expect(await store.items.create({ ...plant, tag: other })).toBe('conflict');
        expect(await store.items.create(plant)).toBe('replayed');
      });
    });

    describe('the store, under concurrent creates,', () => {
      test('creates one of 50 identical plants, and replays the others', async () => {
        const plant = newPlant();
        const creations = await Promise.all(Array.from({ length: 50 }, () => store.items.create(plant)));
        expect(creations.toSorted()).toEqual(['created', ...Array.from({ length: 49 }, () => 'replayed')]);
      });

      test('stores one of ten different plants with the same id, and answers "conflict" to the other nine', async () => {
        const { id } = newPlant();
        const contents = Array.from({ length: 50 }, (_, index) => ({ id, name: `content ${index % 10}` }));
        const creations = await Promise.all(contents.map((plant) => store.items.create(plant)));
        const winner = await stored({ id, name: '' });
        expect(creations.filter((creation) => creation === 'created')).toHaveLength(1);
        contents.forEach(({ name }, index) => {
          expect(creations[index] === 'conflict').toBe(name !== winner?.name);
        });
      });

      test('stores one of two different plants with the same id when each comes through its own open store', async () => {
        const other = await open();
        const ids = Array.from({ length: 200 }, () => newPlant().id);
        const attempts = ids.flatMap((id) => [
          store.items.create({ id, name: 'from one' }),
          other.items.create({ id, name: 'from the other' }),
        ]);
        const creations = await Promise.all(attempts);
        await other.close();
        expect(creations.filter((creation) => creation === 'created')).toHaveLength(200);
        expect(creations.filter((creation) => creation === 'conflict')).toHaveLength(200);
      });

      test.each([
        ['1,000 calls of create', (plants: readonly Item[]) => Promise.all(plants.map((plant) => outcomeOf(plant)))],
        ['one call of createAll', (plants: readonly Item[]) => store.items.createAll(plants)],
      ])('rejects only the plant that it cannot store, in %s', async (_calls, create) => {
        const plants = Array.from({ length: 1000 }, () => newPlant());
        const bad = plants.map((plant, index) => (index === 500 ? { ...plant, name: 'lone \ud800' } : plant));
        const outcomes = await create(bad);
        expect(outcomes.flatMap((outcome, index) => (typeof outcome === 'string' ? [] : [index]))).toEqual([500]);
        expect((await allPlants(store)).filter(({ id }) => plants.some((plant) => plant.id === id))).toHaveLength(999);
      });
    });

    describe('createAll', () => {
      test('returns the outcome of each plant in order, and stores only the first of several plants with the same id', async () => {
        const [one, other, third] = [newPlant(), newPlant({ tag: '' }), newPlant()];
        await store.items.create(one);
        const plants = [other, one, { ...one, tag: 'x' }, third, { ...other, tag: 'x' }, { ...other }];
        const results = ['created', 'replayed', 'conflict', 'created', 'conflict', 'replayed'];
        expect(await store.items.createAll(plants)).toEqual(results);
        expect([await stored(one), await stored(other), await stored(third)]).toEqual([one, other, third]);
        expect(await store.items.createAll([])).toEqual([]);
      });

      test('stores the plants of five concurrent calls, and a single create among them', async () => {
        const batches = Array.from({ length: 5 }, () => Array.from({ length: 500 }, () => newPlant()));
        const creations = batches.map((batch) => store.items.createAll(batch));
        const single = newPlant();
        expect(await store.items.create(single)).toBe('created');
        expect((await Promise.all(creations)).flat()).toEqual(Array.from({ length: 2500 }, () => 'created'));
        expect(await stored(single)).toEqual(single);
      });
    });

    test('the store lists plants in the order of their ids, as they were at one moment', async () => {
      const more = Array.from({ length: 2500 }, () => newPlant());
      await Promise.all(more.map((plant) => store.items.create(plant)));
      const listed: Item[] = [];
      const late = { id: 9223372036854775806n, name: 'late' };
      for await (const portion of store.items.list()) {
        if (listed.length === 0) await store.items.create(late);
        listed.push(...portion);
      }
      expect(listed.map(({ id }) => id)).toEqual(listed.map(({ id }) => id).toSorted((a, b) => (a < b ? -1 : 1)));
      expect(listed.some(({ id }) => id === late.id)).toBe(false);
      expect(await stored(late)).toEqual(late);
    });

    test('the store removes a plant, and accepts its id for another plant', async () => {
      const plant = newPlant();
      await store.items.create(plant);
      expect(await store.items.remove(plant.id)).toBe(true);
      expect(await store.items.remove(plant.id)).toBe(false);
      expect(await store.items.create({ ...plant, name: 'another' })).toBe('created');
    });

    test('a transaction rolls back after a failed query, even when its work catches the error', async () => {
      const plant = newPlant();
      await store.items.create(plant);
      const other = newPlant();
      const work = store.transaction(async (database) => {
        await database.insertInto('plants').values(other).execute();
        const failing = database
          .insertInto('plants')
          .values({ ...plant, name: 'another' })
          .execute();
        await failing.catch(() => undefined);
        return 'done';
      });
      await expect(work).rejects.toMatchObject({ name: 'ConstraintViolated', constraint: 'unique' });
      expect(await stored(other)).toBeUndefined();
      expect(await store.items.create(other)).toBe('created');
    });

    test('the store is ready', async () => {
      await expect(store.ready()).resolves.toBeUndefined();
    });

    test('the store opens again with the same plants, and needs no migration', async () => {
      const before = await allPlants(store);
      await store.close();
      store = await open();
      expect(await allPlants(store)).toEqual(before);
      const { before: found, now } = await store.opened;
      expect(found).toBe(now);
    });

    testQueries(() => store, open);
    testTokens(() => store.tokens);
  });
}
