import { setTimeout as sleep } from 'node:timers/promises';

/** Less than the time limit of a test in jest.config.js, so that a failing test names the condition. */
const PATIENCE_MS = 240_000;

/** A condition returns one of these while it does not hold. */
type NotYet = false | null | undefined | 0 | '';

/**
 * Waits until a condition returns something truthy, and returns that.
 *
 * @throws Error with the source of the condition if that does not happen in time
 */
export async function until<T>(condition: () => T | Promise<T>, patienceMs = PATIENCE_MS): Promise<Exclude<T, NotYet>> {
  const begun = performance.now();
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, NotYet>;
    const waited = performance.now() - begun;
    if (waited > patienceMs)
      throw new Error(`this condition did not hold within ${patienceMs} ms: ${String(condition)}`);
    // What waits for long looks seldom, as many tests wait at once, and a look may cost a request or a collection of garbage.
    await sleep(Math.min(5 + waited / 10, 100));
  }
}
