import type { Config } from '../config.ts';
import { int64 } from '../contract/int64.ts';
import { ExplainedError } from '../explained-error.ts';
import { RESOURCE } from '../resource.ts';
import { recordAct } from './acts.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

export async function remove(config: Config, text: string): Promise<void> {
  const id = int64(text);
  if (id === undefined) {
    throw new ExplainedError(`the id must be an integer from -9223372036854775808 to 9223372036854775807, not ${text}`);
  }
  await withStore(config, { create: false }, async ({ items, database }) => {
    if (!(await items.remove(id))) throw new ExplainedError(`the store has no ${RESOURCE.one} with the id ${id}`);
    await recordAct(config, 'removed', { id: String(id) }, database);
    await print(`removed the ${RESOURCE.one} with the id ${id}\n`);
  });
}
