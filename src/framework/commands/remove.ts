import type { Config } from '../config.ts';
import { int64 } from '../contract/int64.ts';
import { ExplainedError } from '../explained-error.ts';
import type { AnyService } from '../service.ts';
import { recordAct } from './acts.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

export async function remove(service: AnyService, config: Config, text: string): Promise<void> {
  const { table, one } = service.records;
  const id = int64(text);
  if (id === undefined) {
    throw new ExplainedError(`the id must be an integer from -9223372036854775808 to 9223372036854775807, not ${text}`);
  }
  await withStore(service, config, { create: false }, async (store) => {
    if (!(await store.remove(table, id))) throw new ExplainedError(`the store has no ${one} with the id ${id}`);
    await recordAct(service.name, config, 'removed', { id: String(id) }, store.run);
    await print(`removed the ${one} with the id ${id}\n`);
  });
}
