import { setTimeout as sleep } from 'node:timers/promises';

/** Each question costs the store a flush. */
const PAUSE_MS = 5000;
/** A store on a disk that hangs gives no answer. */
const PATIENCE_MS = 5000;

/**
 * Asks one question at a time, and reports each answer: without requests, an instance has no other sign that its store
 * is away. Ends with a no.
 */
export async function watchReadiness(
  ask: () => Promise<void>,
  report: (ready: boolean) => void,
  stop: AbortSignal,
): Promise<void> {
  while (!stop.aborted) {
    const late = setTimeout(report, PATIENCE_MS, false).unref();
    const answer = await ask().then(
      () => true,
      () => false,
    );
    clearTimeout(late);
    report(answer && !stop.aborted);
    await sleep(PAUSE_MS, undefined, { ref: false, signal: stop }).catch(() => undefined);
  }
  report(false);
}
