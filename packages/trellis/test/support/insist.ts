import { StoreUnavailable } from '../../src/storage/store.ts';

/** Repeats work while the store is unavailable: on a busy machine it recovers slowly, and its queues take longer than 5 s. */
export async function insist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
    }
  }
}
