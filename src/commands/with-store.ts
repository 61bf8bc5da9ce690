import type { Config } from '../config.ts';
import { openStore } from '../storage/open.ts';
import type { Store } from '../storage/store.ts';

export async function withStore(
  { DATABASE_URL }: Config,
  options: { readonly create: boolean },
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore(DATABASE_URL, options);
  try {
    await work(store);
  } finally {
    await store.close();
  }
}
