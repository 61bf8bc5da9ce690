import { openStore } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import { insist } from '../../support/insist.ts';
import { LAYOUT } from '../../services/items/index.ts';

// Usage: `unawaited.ts URL`: see unawaited.test.ts. Runs transactions whose functions do not await their queries, in a process
// that an unhandled rejection ends. Prints how each transaction ended.

const [url = ''] = process.argv.slice(2);
const location = url.startsWith('sqlite:')
  ? ({ engine: 'sqlite', path: url.slice('sqlite:'.length) } as const)
  : readPostgresLocation(url);
const store = await openStore(LAYOUT, location, { create: true });
const told = (work: Promise<unknown>) => work.then(String, (error: unknown) => String(error));

const early = await told(
  store.transaction(() => {
    throw new Error('too early');
  }),
);
await store.create('items', { id: 1n, name: '0' });
/** Two writes that begin together, of which the second is awaited after the first. */
const addBoth = () =>
  store.transaction(async ({ database }) => {
    const { name } = await database.selectFrom('items').select('name').where('id', '=', 1n).executeTakeFirstOrThrow();
    const set = (to: string) => database.updateTable('items').set({ name: to }).where('id', '=', 1n).execute();
    const [one, other] = [set('between'), set(String(Number(name) + 1))];
    await one;
    await other;
  });
await Promise.all(Array.from({ length: 40 }, () => insist(addBoth)));
const [item] = await store.database.selectFrom('items').select('name').where('id', '=', 1n).execute();
// A query that is not awaited still belongs to its transaction.
await store.transaction(({ database }) => {
  void database.insertInto('items').values({ id: 2n, name: 'unawaited' }).execute();
  return Promise.resolve();
});
const refused = await told(
  store.transaction(({ database }) => {
    void database.insertInto('items').values({ id: 2n, name: 'again' }).execute();
    return Promise.resolve();
  }),
);
process.stdout.write(JSON.stringify({ early, count: item?.name, rows: await store.count('items'), refused }));
await store.close();
