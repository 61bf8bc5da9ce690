import { StoreUnavailable, StoreUnusable } from '../../src/storage/store-errors.ts';

/** An opening waits some seconds for the lock of another. */
const isLocked = (error: unknown) =>
  error instanceof StoreUnusable && error.message.endsWith('locked by another process');

/** Repeats work while the store is unavailable: on a busy machine it recovers slowly, and its queues take longer than 5 s. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable || isLocked(error))) throw error;
    }
  }
}
