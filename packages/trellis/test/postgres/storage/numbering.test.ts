import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import type { Row } from 'trellis';
import { openStore, type StoreLocation } from '../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../src/storage/postgres/location.ts';
import { LAYOUT } from '../../services/items/index.ts';
import type { tables } from '../../services/items/tables.ts';
import { insist } from '../../support/insist.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

test.each<[string, () => Promise<StoreLocation>]>([
  ['SQLite', () => Promise.resolve({ engine: 'sqlite', path: join(temporaryFolder(), 'store.db') })],
  [
    'PostgreSQL',
    async () => {
      const server = await sharedPostgres();
      return readPostgresLocation(server.url(await server.createDatabase()));
    },
  ],
])('a transaction on %s gives each row the number after the largest, also where many begin at once', async (_, at) => {
  const store = await openStore(LAYOUT, await at(), { create: true });
  try {
    const add = (name: string) =>
      store.transaction(async ({ create, database }) => {
        const largest = database.selectFrom('items').select('id').orderBy('id', 'desc').limit(1);
        const last = (await largest.executeTakeFirst()) as Pick<Row<typeof tables.items>, 'id'> | undefined;
        const id = (last?.id ?? 0n) + 1n;
        return [await create('items', { id, name }), id] as const;
      });
    const names = Array.from({ length: 40 }, (_, at) => `item ${at}`);
    const added = await Promise.all(names.map((name) => insist(() => add(name))));
    expect(added.map(([creation]) => creation)).toEqual(names.map(() => 'created'));
    const ids = added.map(([, id]) => id).sort((one, other) => Number(one - other));
    expect(ids).toEqual(names.map((_, at) => BigInt(at) + 1n));
  } finally {
    await store.close();
  }
});
