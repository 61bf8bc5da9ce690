import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Brings the schema of the store up to date, as `serve` and every command that may create a store do, and says so. */
export async function migrate(): Promise<void> {
  await withStore({ create: true }, async ({ opened }) => {
    const { before, now } = await opened;
    const [from, to] = [String(before), String(now)];
    await print(before === now ? `the schema is up to date: ${to}\n` : `the schema was ${from}, and is ${to} now\n`);
  });
}
