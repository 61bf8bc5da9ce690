import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The pause after a write, as a share of the time that the write took. A process that waits for SQLite's lock polls it
 * less and less often, so the lock must stay free for a while.
 */
const PAUSE = 0.25;
const PAUSE_BESIDE_OTHERS = 1;

/**
 * Runs large writes one after another, with pauses in which other processes get the lock.
 *
 * @param othersWrote whether another connection has written since the last call
 */
export function withPauses<Items, Result>(
  write: (items: Items) => Promise<Result>,
  othersWrote: () => Promise<boolean>,
): (items: Items) => Promise<Result> {
  let free: Promise<unknown> = Promise.resolve();
  return (items) => {
    let begun = 0;
    const written = free.then(() => {
      begun = performance.now();
      return write(items);
    });
    const pause = async () => {
      const took = performance.now() - begun;
      await sleep(took * ((await othersWrote()) ? PAUSE_BESIDE_OTHERS : PAUSE));
    };
    // A failed write rejects `written` for its caller, and does not stop the next one.
    free = written.then(pause, pause).catch(() => undefined);
    return written;
  };
}
