import { layoutOf } from '../storage/layout.ts';
import { openStore } from '../storage/open.ts';
import type { Opening, Store } from '../storage/store.ts';
import { recordAct } from './acts.ts';
import type { Job } from './io.ts';

/** Opens the store, which `create` also migrates, for a command. */
export async function withStore(
  job: Job,
  options: Pick<Opening, 'create' | 'yields'>,
  work: (store: Store) => Promise<void>,
): Promise<void> {
  const store = await openStore(layoutOf(job.service), job.config.DATABASE_URL, options);
  try {
    const { before, now, steps } = await store.opened;
    if (steps.length > 0) await recordAct(job, 'migrated', { from: before, to: now, steps }, store.run);
    await work(store);
  } finally {
    await store.close();
  }
}
