import { setTimeout as sleep } from 'node:timers/promises';
import type { Setup } from 'trellis';
import type { tables } from './tables.ts';

const HOUR = 3_600_000;

/** Forgets a key after 24 hours. */
export function resources({ database, now, log, signal }: Setup<typeof tables>) {
  const forget = async () => {
    while (!signal.aborted) {
      const yesterday = new Date(now().getTime() - 24 * HOUR);
      const old = database.deleteFrom('keys').where('at', '<', yesterday);
      await old.execute().catch((error: unknown) => {
        log.warn({ err: error }, 'old keys were not deleted: this is tried again in an hour');
      });
      await sleep(HOUR, undefined, { signal }).catch(() => undefined);
    }
  };
  const ended = forget();
  return { [Symbol.asyncDispose]: () => ended };
}
