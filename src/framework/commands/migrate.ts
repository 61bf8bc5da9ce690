import type { Job } from './io.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Opening a store with `create` migrates it; this only reports the result. */
export async function migrate(job: Job): Promise<void> {
  await withStore(job, { create: true }, async ({ opened }) => {
    const { before, now } = await opened;
    await print(
      job.io,
      before === now ? `the schema is up to date: ${now}\n` : `migrated the schema from ${before} to ${now}\n`,
    );
  });
}
