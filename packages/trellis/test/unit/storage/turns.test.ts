import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
import { asCaller } from '../../../src/storage/caller.ts';
import { MAX_WAITING } from '../../../src/storage/queue.ts';
import { Turns } from '../../../src/storage/turns.ts';

afterEach(() => {
  jest.restoreAllMocks();
});

test('work in Turns may return and throw any value, and runs in the async context of its caller', async () => {
  const caller = new AsyncLocalStorage<string>();
  const turns = new Turns(1, 1000);
  const returned = new Error('returned');
  const asks = ['first', 'second'].map((name) =>
    caller.run(name, () => turns.run(() => Promise.resolve([caller.getStore(), returned]))),
  );
  expect(await Promise.all(asks)).toEqual([
    ['first', returned],
    ['second', returned],
  ]);
  expect(await turns.run(() => Promise.resolve(returned))).toBe(returned);
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what an operation may do
  await expect(turns.run(() => Promise.reject('refused'))).rejects.toBe('refused');
});

test('Turns run short work while long work has all shared turns, and then in any turn that is free', async () => {
  const turns = new Turns(2, Infinity, { short: 1 });
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, isShort: boolean) =>
    turns.run(
      async () => {
        events.push(name);
        await new Promise<void>((resolve) => ends.set(name, resolve));
      },
      { isShort },
    );
  const asked = ['long 1', 'long 2', 'long 3', 'short 1', 'short 2', 'short 3', 'short 4'].map((name) =>
    ask(name, name.startsWith('short')),
  );
  const end = async (name: string) => {
    ends.get(name)?.();
    await tick();
  };
  await tick();
  expect([turns.length, events.splice(0)]).toEqual([4, ['long 1', 'long 2', 'short 1']]);
  await end('short 1');
  expect(events.splice(0)).toEqual(['short 2']);
  await end('long 1');
  expect(events.splice(0)).toEqual(['long 3']);
  await end('long 2');
  expect(events.splice(0)).toEqual(['short 3']);
  for (const name of ['short 2', 'short 3', 'short 4', 'long 3']) await end(name);
  await Promise.all(asked);
  expect([turns.length, events]).toEqual([0, ['short 4']]);
});

test('Turns run a limited number of functions at once, and refuse one that has waited too long or is one too many', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const turns = new Turns(2, 1000);
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string) =>
    turns.run(async () => {
      events.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
      events.push(`end of ${name}`);
    });
  const answers = [ask('a'), ask('b')];
  const late = expect(ask('late')).rejects.toThrow('the request has waited too long for the store');
  clock.mockReturnValue(500);
  answers.push(ask('c'));
  const others = Array.from({ length: MAX_WAITING - 2 }, () => turns.run(() => Promise.resolve()));
  await expect(ask('one more')).rejects.toThrow('too many requests wait for the store');
  expect([turns.length, events]).toEqual([MAX_WAITING, ['a', 'b']]);
  clock.mockReturnValue(1000);
  ends.get('a')?.();
  await Promise.all([late, answers[0]]);
  ends.get('b')?.();
  ends.get('c')?.();
  await Promise.all([...answers, ...others]);
  expect(events).toEqual(['a', 'b', 'end of a', 'c', 'end of b', 'end of c']);
});

/** Turns, and work that ends when it is told to. */
function watched(...given: ConstructorParameters<typeof Turns>) {
  const turns = new Turns(...given);
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  const asked: Promise<void>[] = [];
  let isOver = false;
  return {
    begun,
    /** @param name the caller and a number, such as `a1` */
    ask: (name: string, asking?: Parameters<Turns['run']>[1]) => {
      const work = async () => {
        begun.push(name);
        if (!isOver) await new Promise<void>((resolve) => ends.set(name, resolve));
      };
      const run = () => turns.run(work, asking);
      asked.push(name.startsWith('-') ? run() : asCaller(name.charAt(0), run));
    },
    end: async (name: string) => {
      ends.get(name)?.();
      await tick();
      return begun.splice(0).join(' ');
    },
    endAll: async () => {
      isOver = true;
      for (const end of ends.values()) end();
      await Promise.all(asked);
    },
  };
}

test('Turns go to the caller that has the fewest, and work without a caller counts as that of one caller', async () => {
  const { begun, ask, end, endAll } = watched(2, Infinity);
  for (const name of ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', '-1', '-2', 'c1']) ask(name);
  expect(begun.splice(0)).toEqual(['a1', 'a2']);
  expect(await end('a1')).toBe('b1');
  expect(await end('a2')).toBe('a3');
  expect(await end('b1')).toBe('-1');
  expect(await end('a3')).toBe('c1');
  expect(await end('-1')).toBe('b2');
  expect(await end('b2')).toBe('a4');
  expect(await end('c1')).toBe('-2');
  await endAll();
});

test('Turns keep some turns for callers that have none', async () => {
  const { begun, ask, end, endAll } = watched(4, Infinity, { spare: 2 });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2', 'c1', 'c2', 'd1']) ask(name);
  expect(begun.splice(0)).toEqual(['a1', 'a2', 'b1', 'c1']);
  expect(await end('a1')).toBe('d1');
  expect(await end('b1')).toBe('b2');
  expect(await end('b2')).toBe('');
  expect(await end('a2')).toBe('a3');
  await endAll();
});

test('Turns give the next turn of a caller to its work that is tried again, until the deadline of that work', async () => {
  const clock = jest.spyOn(performance, 'now').mockReturnValue(0);
  const { begun, ask, end, endAll } = watched(1, 1000);
  for (const name of ['a1', 'a2', 'a3']) ask(name);
  ask('a4', { until: 500 });
  ask('b1', { until: 500 });
  expect(begun.splice(0)).toEqual(['a1']);
  expect(await end('a1')).toBe('a4');
  expect(await end('a4')).toBe('b1');
  ask('c1', { until: 500 });
  clock.mockReturnValue(600);
  expect(await end('b1')).toBe('a2');
  await expect(endAll()).rejects.toThrow('the request has waited too long for the store');
});

test('Turns let a caller with little waiting work wait when another caller has reached the limit', async () => {
  const turns = new Turns(1, Infinity);
  const over = Promise.withResolvers<undefined>();
  const first = asCaller('a', () => turns.run(() => over.promise));
  const asks = Array.from({ length: MAX_WAITING }, () => asCaller('a', () => turns.run(() => Promise.resolve('a'))));
  const other = asCaller('b', () => turns.run(() => Promise.resolve('b')));
  await expect(asCaller('a', () => turns.run(() => Promise.resolve('a')))).rejects.toThrow('too many requests wait');
  over.resolve(undefined);
  expect(new Set(await Promise.all([first, other, ...asks]))).toEqual(new Set([undefined, 'a', 'b']));
});
