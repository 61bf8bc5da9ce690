import { setTimeout as sleep } from 'node:timers/promises';

/** What a condition returns that does not hold yet. */
type NotYet = false | null | undefined | 0 | '';

/**
 * Waits until a condition holds, and returns what it returned then.
 *
 * @throws Error with the text of the condition, if it does not hold in time
 */
export async function until<T>(condition: () => T | Promise<T>, patienceMs = 60_000): Promise<Exclude<T, NotYet>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, NotYet>;
    if (performance.now() > deadline) throw new Error(`in ${patienceMs} ms it never held: ${String(condition)}`);
    await sleep(5);
  }
}
