import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate as tick } from 'node:timers/promises';
import { afterEach, expect, jest, test } from '@jest/globals';
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
  const turns = new Turns(2, Infinity, 1);
  const events: string[] = [];
  const ends = new Map<string, () => void>();
  const ask = (name: string, isShort: boolean) =>
    turns.run(async () => {
      events.push(name);
      await new Promise<void>((resolve) => ends.set(name, resolve));
    }, isShort);
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
