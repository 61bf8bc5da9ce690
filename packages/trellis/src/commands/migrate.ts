import type { Job } from '../terminal/io.ts';
import { print } from '../terminal/print.ts';
import { withStore } from '../terminal/with-store.ts';

/** Opening a store with `create` migrates it; this only reports the result. */
export async function migrate(job: Job): Promise<void> {
  await withStore(job, { create: true }, async ({ opened }) => {
    const { before, now, steps } = await opened;
    await print(
      job.io,
      steps.length === 0
        ? `the schema is up to date: ${now}\n`
        : `migrated the schema from ${before} to ${now}: ${steps.join(', ')}\n`,
    );
  });
}
