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
export async function until<T>(
  condition: () => T | Promise<T>,
  patienceMs = PATIENCE_MS,
  pauseMs = 5,
): Promise<Exclude<T, NotYet>> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const value = await condition();
    if (value) return value as Exclude<T, NotYet>;
    if (performance.now() > deadline)
      throw new Error(`this condition did not hold within ${patienceMs} ms: ${String(condition)}`);
    await sleep(pauseMs);
  }
}
