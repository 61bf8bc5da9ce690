import type { Config } from '../config.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Brings the schema of the store up to date, as `serve` and every command that may create a store do, and says so. */
export async function migrate(config: Config): Promise<void> {
  await withStore(config, { create: true }, async ({ opened }) => {
    const { before, now } = await opened;
    await print(
      before === now ? `the schema is up to date: ${now}\n` : `the schema was ${before}, and is ${now} now\n`,
    );
  });
}
