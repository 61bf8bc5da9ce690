import { setTimeout as sleep } from 'node:timers/promises';

/**
 * The share of the time of a write that the lock is left to others after it. A process that waits for the lock of SQLite
 * asks for it again and again, ever less often: it must be free for long enough to be found free.
 */
const PAUSE = 0.25;
/** The same while others write. */
const PAUSE_BESIDE_OTHERS = 1;

/**
 * Lets writes of much follow one another, with pauses in which others find the lock free.
 *
 * @param othersWrote whether another connection has written since it was asked last
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
    // The caller is told when a write fails; the next one comes all the same.
    free = written.then(pause, pause).catch(() => undefined);
    return written;
  };
}
