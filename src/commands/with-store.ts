import { readConfig } from '../config.ts';
import { openStore } from '../storage/open.ts';
import type { Store } from '../storage/store.ts';

/** Opens the store of DATABASE_URL, hands it to `work`, and closes it. */
export async function withStore(
  options: { readonly create: boolean },
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore(readConfig().DATABASE_URL, options);
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
