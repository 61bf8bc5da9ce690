import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';

/** Each question makes the store flush data to its disk. */
const PAUSE_MS = 5000;
/** A store on a disk that hangs gives no answer. */
const PATIENCE_MS = 5000;

/**
 * Asks one question at a time: clients that ask meanwhile get its answer too. A question that waits for a lock delays
 * creates.
 *
 * @returns a function that throws after five seconds without an answer, and at once until that answer has come
 */
export function askOneAtATime(ask: () => Promise<void>): () => Promise<void> {
  const giveUp = async () => {
    await sleep(PATIENCE_MS, undefined, { ref: false });
    throw new Error(`the store has given no answer for ${PATIENCE_MS / 1000} s`);
  };
  let answer: Promise<void> | undefined;
  const end = () => {
    answer = undefined;
  };
  return () => {
    answer ??= Promise.race([ask().finally(end), giveUp()]);
    return answer;
  };
}

/** Reports each answer, as an instance without requests has no other sign that its store is away; at the end, false. */
export async function watchReadiness(
  ask: () => Promise<void>,
  report: ((ready: boolean) => void) | undefined,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const answer = await ask().then(
      () => true,
      () => false,
    );
    report?.(answer && !stop.aborted);
    await sleep(PAUSE_MS, undefined, { ref: false, signal: stop }).catch(() => undefined);
  }
  report?.(false);
}

/** Says in the log when the store goes away, and when it is back: a store that nothing asks for fails no request. */
export function tellPresence(logger: Logger) {
  let since: number | undefined;
  let reason: string | undefined;
  return {
    /** @param again whether another reason than the last one is worth another line */
    away(error: Error, again = false): void {
      // eslint-disable-next-line no-restricted-syntax -- only compared with the last one, so that a repeated line is logged once
      if (since === undefined || (again && error.message !== reason)) logger.warn({ err: error }, 'the store is away');
      since ??= performance.now();
      reason = error.message;
    },
    back(): void {
      if (since === undefined) return;
      logger.info({ seconds: Math.round((performance.now() - since) / 1000) }, 'the store is back');
      since = undefined;
    },
  };
}
