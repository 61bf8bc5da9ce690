import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { Store, Item } from '../../src/storage/store.ts';
import { allPlants } from '../support/app.ts';
import { testQueries } from './conformance-queries.ts';
import { testTokens } from './conformance-tokens.ts';
import { LOOKALIKES, TEXTS } from './texts.ts';

/** How the suite gets at an engine: each call of `open` opens the same store, which is empty at first. */
export interface Engine {
  readonly open: () => Promise<Store>;
}

/** What every engine must do, as storage/store.ts says. */
export function testEngine(name: string, { open }: Engine): void {
  describe(`the store on ${name}`, () => {
    let store: Store;
    let nextId = 1000n;
    const newPlant = (plant: Partial<Item> = {}): Item => ({ id: nextId++, name: 'Ginkgo', ...plant });
    const stored = async ({ id }: Item) => (await allPlants(store)).find((plant) => plant.id === id);

    const outcomeOf = (plant: Item) => store.items.create(plant).catch((error: unknown) => error);

    beforeAll(async () => {
      store = await open();
    });
    afterAll(() => store.close());

    describe('creates a plant', () => {
      test('and keeps it as it was given', async () => {
        const plant = newPlant({ tag: 'tree' });
        expect(await store.items.create(plant)).toBe('created');
        expect(await stored(plant)).toEqual(plant);
      });

      test.each([
        ['9007199254740992', 9007199254740992n],
        ['9007199254740993', 9007199254740993n],
        ['the largest', 9223372036854775807n],
        ['the smallest', -9223372036854775808n],
        ['zero', 0n],
        ['-1', -1n],
      ])('with the id %s', async (_name, id) => {
        const plant = { id, name: `plant ${String(id)}` };
        expect(await store.items.create(plant)).toBe('created');
        expect(await store.items.create(plant)).toBe('replayed');
        expect(await stored(plant)).toEqual(plant);
      });

      test('with text as it is, of every kind that others trip over', async () => {
        const plants = TEXTS.flatMap((text) => [newPlant({ name: text }), newPlant({ tag: text })]);
        const creations = await Promise.all(plants.map((plant) => store.items.create(plant)));
        expect(new Set(creations)).toEqual(new Set(['created']));
        const listed = new Map((await allPlants(store)).map((plant) => [plant.id, plant]));
        expect(plants.map(({ id }) => listed.get(id))).toEqual(plants);
        const replays = await Promise.all(plants.map((plant) => store.items.create(plant)));
        expect(new Set(replays)).toEqual(new Set(['replayed']));
      });
    });

    describe('of a plant whose id exists', () => {
      test('says replayed if it is the same, and changes nothing', async () => {
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
      ])('says conflict for %s, and keeps the first', async (_name, content) => {
        const plant = newPlant({ tag: 'tree' });
        await store.items.create(plant);
        expect(await store.items.create({ id: plant.id, ...content })).toBe('conflict');
        expect(await stored(plant)).toEqual(plant);
      });

      test.each(LOOKALIKES)('tells apart what looks alike: %j and %j', async (one, other) => {
        const plant = newPlant({ name: one, tag: one });
        expect(await store.items.create(plant)).toBe('created');
        expect(await store.items.create({ ...plant, name: other })).toBe('conflict');
        expect(await store.items.create({ ...plant, tag: other })).toBe('conflict');
        expect(await store.items.create(plant)).toBe('replayed');
      });
    });

    describe('under concurrency', () => {
      test('creates one of 50 identical plants, and replays the others', async () => {
        const plant = newPlant();
        const creations = await Promise.all(Array.from({ length: 50 }, () => store.items.create(plant)));
        expect(creations.toSorted()).toEqual(['created', ...Array.from({ length: 49 }, () => 'replayed')]);
      });

      test('lets one of 50 different contents win, and tells the truth to each', async () => {
        const { id } = newPlant();
        const contents = Array.from({ length: 50 }, (_, index) => ({ id, name: `content ${index % 10}` }));
        const creations = await Promise.all(contents.map((plant) => store.items.create(plant)));
        const winner = await stored({ id, name: '' });
        expect(creations.filter((creation) => creation === 'created')).toHaveLength(1);
        contents.forEach(({ name }, index) => {
          expect(creations[index] === 'conflict').toBe(name !== winner?.name);
        });
      });

      test('lets one content win among two openings of the store', async () => {
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
        ['one by one', (plants: readonly Item[]) => Promise.all(plants.map((plant) => outcomeOf(plant)))],
        ['at once', (plants: readonly Item[]) => store.items.createAll(plants)],
      ])('fails the plant that cannot be stored, and no other, of plants that come %s', async (_how, create) => {
        const plants = Array.from({ length: 1000 }, () => newPlant());
        const bad = plants.map((plant, index) => (index === 500 ? { ...plant, name: 'lone \ud800' } : plant));
        const outcomes = await create(bad);
        expect(outcomes.flatMap((outcome, index) => (typeof outcome === 'string' ? [] : [index]))).toEqual([500]);
        expect((await allPlants(store)).filter(({ id }) => plants.some((plant) => plant.id === id))).toHaveLength(999);
      });
    });

    describe('of many plants at once', () => {
      test('tells of each, in their order, and keeps the first of those with one id', async () => {
        const [one, other, third] = [newPlant(), newPlant({ tag: '' }), newPlant()];
        await store.items.create(one);
        const plants = [other, one, { ...one, tag: 'x' }, third, { ...other, tag: 'x' }, { ...other }];
        const results = ['created', 'replayed', 'conflict', 'created', 'conflict', 'replayed'];
        expect(await store.items.createAll(plants)).toEqual(results);
        expect([await stored(one), await stored(other), await stored(third)]).toEqual([one, other, third]);
        expect(await store.items.createAll([])).toEqual([]);
      });

      test('answers for all of several calls, and for single plants meanwhile', async () => {
        const batches = Array.from({ length: 5 }, () => Array.from({ length: 500 }, () => newPlant()));
        const creations = batches.map((batch) => store.items.createAll(batch));
        const single = newPlant();
        expect(await store.items.create(single)).toBe('created');
        expect((await Promise.all(creations)).flat()).toEqual(Array.from({ length: 2500 }, () => 'created'));
        expect(await stored(single)).toEqual(single);
      });
    });

    test('lists the plants in the order of their ids, as they were at one moment', async () => {
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

    test('removes a plant, whose id is free again', async () => {
      const plant = newPlant();
      await store.items.create(plant);
      expect(await store.items.remove(plant.id)).toBe(true);
      expect(await store.items.remove(plant.id)).toBe(false);
      expect(await store.items.create({ ...plant, name: 'another' })).toBe('created');
    });

    test('undoes a transaction of which a query fails, also if the work goes on', async () => {
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

    test('is ready', async () => {
      await expect(store.ready()).resolves.toBeUndefined();
    });

    test('opens again as it was, with its schema up to date', async () => {
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
