import { type Run, StoreUnavailable } from './store.ts';

/**
 * Does the work of a transaction, between its begin and its commit. A query that fails ends it, also if the work catches
 * the error; so does the time, as an engine keeps a lock or a connection for it. No query is run after the end.
 */
export async function doWork<T>(work: (run: Run) => Promise<T>, run: Run, ms: number): Promise<T> {
  const over = new AbortController();
  const timeout = setTimeout(() => {
    over.abort(new StoreUnavailable('a transaction took too long'));
  }, ms);
  const ended = new Promise<never>((_resolve, reject) => {
    over.signal.addEventListener('abort', () => {
      reject(over.signal.reason as Error);
    });
  });
  const runUntilOver: Run = async (statement) => {
    over.signal.throwIfAborted();
    return await run(statement).catch((error: unknown) => {
      over.abort(error);
      throw error;
    });
  };
  try {
    return await Promise.race([work(runUntilOver), ended]);
  } finally {
    clearTimeout(timeout);
    over.abort(new Error('the transaction is over'));
  }
}
