import { afterAll, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { allRows } from '../../../support/app.ts';
import { PostgresServer } from '../../../support/postgres.ts';
import { describeWith } from '../../../../../contract/test/support/skipping.ts';
import { fillDisk, makeRoom, UNSHARE } from '../../../support/small-disk.ts';
import { LAYOUT } from '../../../services/items/index.ts';

const isRoot = process.getuid?.() === 0 && UNSHARE !== undefined;

describeWith(isRoot ? undefined : 'only root can mount a disk for PostgreSQL', 'a store on a full disk', () => {
  let server: PostgresServer | undefined;
  afterAll(() => server?.remove());

  test('is not ready from the first create that fails until there is room, although no client asks', async () => {
    server = await PostgresServer.create();
    const disk = await server.addSmallDisk();
    const database = await server.createDatabase('tablespace small');
    const store = await openStore(LAYOUT, readPostgresLocation(server.url(database)), { create: true });
    await store.ready();
    fillDisk(disk, 0);
    let id = 0n;
    // The first items may find room in the files that the table has.
    const fill = async () => {
      for (;;) await store.create('items', { id: id++, name: 'x'.repeat(1000) });
    };
    await expect(fill()).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringContaining('SQLSTATE 53100'),
    });
    for (let asked = 0; asked < 3; asked++)
      await expect(store.ready()).rejects.toMatchObject({ message: expect.stringContaining('SQLSTATE 53100') });
    makeRoom(disk);
    await store.ready();
    expect(await allRows(store, 'items')).toHaveLength(Number(id) - 1);
    expect(await store.create('items', { id, name: 'Ginkgo' })).toBe('created');
    await store.close();
  });
});
