import { setTimeout as sleep } from 'node:timers/promises';

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
  report: (ready: boolean) => void,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const answer = await ask().then(
      () => true,
      () => false,
    );
    report(answer && !stop.aborted);
    await sleep(PAUSE_MS, undefined, { ref: false, signal: stop }).catch(() => undefined);
  }
  report(false);
}
