import { setImmediate as immediate } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { asCaller } from '../../../src/storage/caller.ts';
import { MAX_WAITING, MAX_WAITING_BYTES, Queue } from '../../../src/storage/queue.ts';
import { StoreUnavailable } from '../../../src/storage/store-errors.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

/** Waits until so many batches have begun. */
async function batchesAre(batches: readonly unknown[], count: number): Promise<void> {
  while (batches.length < count) await immediate();
}

/** Work that notes its batches, each of which ends when the test says so. */
function noting() {
  const batches: (readonly string[])[] = [];
  const ends: (() => void)[] = [];
  const work = async (items: readonly string[]) => {
    batches.push(items);
    await new Promise<void>((resolve) => ends.push(resolve));
    return items.map((item) => `${item} done`);
  };
  const end = async () => {
    while (ends.length === 0) await immediate();
    ends.shift()?.();
  };
  return { batches, work, end };
}

test('items that arrive during a batch form the next one, in their order', async () => {
  const { batches, work, end } = noting();
  const queue = new Queue({ work, maxItems: 3 });
  const answers = ['a', 'b', 'c', 'd'].map((item) => queue.add(item));
  await end();
  await answers[0];
  answers.push(queue.add('e'));
  await end();
  expect(await Promise.all(answers)).toEqual(['a done', 'b done', 'c done', 'd done', 'e done']);
  expect(batches).toEqual([
    ['a', 'b', 'c'],
    ['d', 'e'],
  ]);
});

test('items that must be alone and batches of the others take turns', async () => {
  const { batches, work, end } = noting();
  const queue = new Queue({ work, isAlone: (item) => item === item.toUpperCase() });
  const answers = ['A', 'B', 'C', 'x', 'y'].map((item) => queue.add(item));
  for (let batch = 0; batch < 4; batch++) await end();
  await Promise.all(answers);
  expect(batches).toEqual([['A'], ['x', 'y'], ['B'], ['C']]);
});

test('another batch begins only when those under way are stuck', async () => {
  const { batches, work, end } = noting();
  const queue = new Queue({ work, maxActive: 2, stuckMs: 50 });
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const first = queue.add('first');
  await batchesAre(batches, 1);
  const second = queue.add('second');
  await immediate();
  expect(batches).toHaveLength(1);
  clock.mockReturnValue(50);
  await batchesAre(batches, 2);
  await end();
  await end();
  await Promise.all([first, second]);
});

test('another batch takes the items that wait behind a stuck one, and idle() waits for both', async () => {
  const { batches, work, end } = noting();
  const queue = new Queue({ work, maxItems: 2, maxActive: 2, stuckMs: 20 });
  const answers = ['a', 'b', 'c'].map((item) => queue.add(item));
  let isIdle = false;
  const idle = queue.idle().then(() => {
    isIdle = true;
  });
  await batchesAre(batches, 2);
  expect(batches).toEqual([['a', 'b'], ['c']]);
  await end();
  await Promise.all(answers.slice(0, 2));
  await immediate();
  expect(isIdle).toBe(false);
  await end();
  await idle;
  await Promise.all(answers);
});

test('ask() gets the item that failed last, until an item succeeds that proves that the store works', async () => {
  const unavailable = new StoreUnavailable('the disk is full');
  const queue = new Queue<string, string>({
    work: (items) => Promise.resolve(items.map((item) => (item === 'full' ? unavailable : item))),
    isProof: (item) => item !== 'guess',
  });
  const failure = async () => {
    let found: string | undefined;
    await queue
      .ask((failed) => {
        found = failed;
        return Promise.reject(unavailable);
      })
      .catch(() => undefined);
    return found;
  };
  await expect(queue.add('full')).rejects.toBe(unavailable);
  await queue.add('guess');
  expect(await failure()).toBe('full');
  await queue.add('row');
  expect(await failure()).toBeUndefined();
});

test.each([
  ['items', MAX_WAITING, 1],
  ['bytes', 16, MAX_WAITING_BYTES / 16],
])('refuses an item when too many %s wait', async (_what, items, bytes) => {
  const queue = new Queue<number, number>({ work: (each) => Promise.resolve(each), bytesOf: () => bytes });
  const answers = Array.from({ length: items }, (_, item) => queue.add(item));
  const tooMany = { name: 'StoreUnavailable', message: 'too many requests wait for the store' };
  await expect(queue.add(0)).rejects.toMatchObject(tooMany);
  await Promise.all(answers);
  expect(await queue.add(7)).toBe(7);
});

test('refuses an item that has waited too long', async () => {
  const { batches, work, end } = noting();
  const queue = new Queue({ work, maxItems: 1, maxWaitMs: 100 });
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const first = queue.add('first');
  const late = queue.add('late');
  const tooLong = expect(late).rejects.toMatchObject({
    name: 'StoreUnavailable',
    message: 'the request has waited too long for the store',
  });
  await batchesAre(batches, 1);
  clock.mockReturnValue(100);
  await end();
  await tooLong;
  await first;
  expect(batches).toEqual([['first']]);
});

/** A queue of items of a MiB, one of which is in work, and which a caller has filled. */
async function filledBy(crowd: string) {
  const { batches, work, end } = noting();
  const mib = 1024 * 1024;
  const queue = new Queue({ work, bytesOf: () => mib, maxItems: 1 });
  const first = queue.add('first');
  await batchesAre(batches, 1);
  const add = (caller: string) => asCaller(caller, () => queue.add(caller));
  const answers = Array.from({ length: MAX_WAITING_BYTES / mib }, () => add(crowd));
  return { first, answers, add, end };
}

test('a caller that fills the queue keeps no other out of it, and all callers together get twice its bytes', async () => {
  const { first, answers, add, end } = await filledBy('crowd');
  const full = 'too many requests wait for the store';
  await expect(add('crowd')).rejects.toThrow(full);
  for (let other = 0; other < 16; other++) answers.push(add(`other ${other}`));
  await expect(add('other 0')).rejects.toThrow(full);
  await expect(add('one more')).rejects.toThrow(full);
  const done = Promise.all([first, ...answers]);
  // `done` rejects if a caller was kept out.
  for (let batch = 0; batch <= answers.length; batch++) await Promise.race([end(), done]);
  expect(new Set((await done).map((each) => each.slice(-4)))).toEqual(new Set(['done']));
});

test('beside a caller that fills the queue, another one may have a third of its bytes', async () => {
  const { first, answers, add, end } = await filledBy('crowd');
  // The next one could come when the other caller had less than 5⅓ MiB.
  for (let count = 0; count < 6; count++) answers.push(add('other'));
  await expect(add('other')).rejects.toThrow('too many requests wait for the store');
  const done = Promise.all([first, ...answers]);
  for (let batch = 0; batch <= answers.length; batch++) await Promise.race([end(), done]);
  expect(await done).toHaveLength(23);
});
