import { StoreUnavailable, type Within } from './store.ts';

/**
 * Runs `work` between the begin and the commit of a transaction, and rejects when a query fails (even if `work` catches
 * the error, or does not wait for the query) or at the time `until` of `performance.now()`. Afterwards it runs no more
 * queries.
 */
export async function doWork<T>(work: (within: Within) => Promise<T>, within: Within, until: number): Promise<T> {
  const over = new AbortController();
  const timeout = setTimeout(
    () => {
      over.abort(new StoreUnavailable('a transaction took too long'));
    },
    Math.max(0, until - performance.now()),
  );
  const ended = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener('abort', () => {
      reject(over.signal.reason as Error);
    });
  });
  let running = 0;
  let whenNone: (() => void) | undefined;
  const untilOver =
    <Given, Result>(query: (given: Given) => Promise<Result>) =>
    async (given: Given): Promise<Result> => {
      over.signal.throwIfAborted();
      running++;
      try {
        return await query(given);
      } catch (error) {
        over.abort(error);
        throw error;
      } finally {
        if (--running === 0) whenNone?.();
      }
    };
  try {
    const result = await Promise.race([work({ run: untilOver(within.run), create: untilOver(within.create) }), ended]);
    while (running > 0) await Promise.race([new Promise<void>((resolve) => (whenNone = resolve)), ended]);
    // A query may have failed when `work` had its result already.
    over.signal.throwIfAborted();
    return result;
  } finally {
    clearTimeout(timeout);
    over.abort(new Error('the transaction is over'));
  }
}
