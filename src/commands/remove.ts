import { int64 } from '../contract/int64.ts';
import { ExplainedError } from '../explained-error.ts';
import { print } from './print.ts';
import { withStore } from './with-store.ts';

/** Removes a plant: an operator undoes a mistake so. */
export async function remove(text: string): Promise<void> {
  const id = int64(text);
  if (id === undefined) {
    throw new ExplainedError(`the id must be an integer from -9223372036854775808 to 9223372036854775807, not ${text}`);
  }
  await withStore({ create: false }, async ({ items: plants }) => {
    if (!(await plants.remove(id))) throw new ExplainedError(`there is no plant with the id ${id}`);
    await print(`removed the plant with the id ${id}\n`);
  });
}
