import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { withPauses } from '../../../src/framework/storage/sqlite/pauses.ts';

const WRITE_MS = 100;

test.each([
  ['a quarter of its duration', false, 0.25],
  ['its whole duration when others write', true, 1],
])('the next write waits after a write for %s', async (_what, othersWrite, share) => {
  const writes: { begun: number; ended: number }[] = [];
  const write = withPauses(
    async (item: number) => {
      const begun = performance.now();
      await sleep(WRITE_MS);
      writes.push({ begun, ended: performance.now() });
      if (item === 1) throw new Error('not this one');
      return item;
    },
    () => Promise.resolve(othersWrite),
  );
  const results = await Promise.allSettled([write(0), write(1), write(2)]);
  expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
  const [first, second, third] = writes;
  for (const [one, next] of [
    [first, second],
    [second, third],
  ] as const) {
    // A timer may fire a millisecond early.
    expect((next?.begun ?? 0) - (one?.ended ?? 0)).toBeGreaterThan(WRITE_MS * share - 2);
  }
});
