import type { Config } from '../config.ts';
import type { AnyService } from '../service.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Opening a store with `create` migrates it; this only reports the result. */
export async function migrate(service: AnyService, config: Config): Promise<void> {
  await withStore(service, config, { create: true }, async ({ opened }) => {
    const { before, now } = await opened;
    await print(
      before === now ? `the schema is up to date: ${now}\n` : `migrated the schema from ${before} to ${now}\n`,
    );
  });
}
