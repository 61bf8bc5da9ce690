import { describe, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/storage/open.ts';
import { hashOf } from '../../../../src/storage/postgres/citus.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { Citus, noCitus } from '../../../support/citus.ts';
import { testWith } from '../../../../../contract/test/support/skipping.ts';
import { until } from '../../../support/until.ts';
import { LAYOUT } from '../../../services/items/index.ts';
import { testEngine } from '../../../engine/storage/conformance.ts';

/** Spreads tables as an operator does: notes beside their item, and the foreign key removed meanwhile. */
const SPREAD = [
  'alter table notes drop constraint notes_item_fkey',
  "select create_distributed_table('items', 'id')",
  "select create_distributed_table('notes', 'item', colocate_with => 'items')",
  'alter table notes add constraint notes_item_fkey foreign key (item) references items (id)',
  "select create_distributed_table('kinds', 'id')",
];

const testStores = () => {
  let cluster: Citus | undefined;
  const getCluster = async () => {
    cluster ??= await Citus.start();
    return cluster;
  };
  const open = async (database: string, onSpread?: (tables: readonly string[]) => void) =>
    await openStore(LAYOUT, readPostgresLocation((await getCluster()).url(database)), {
      create: true,
      ...(onSpread && { onSpread }),
    });

  let whole: string | undefined;
  testEngine('Citus that spreads no table', {
    open: async () => {
      whole ??= await (await getCluster()).createDatabase();
      return await open(whole);
    },
  });

  let spread: string | undefined;
  testEngine('Citus that spreads items, notes and kinds', {
    spreads: true,
    open: async () => {
      if (spread === undefined) {
        spread = await (await getCluster()).createDatabase();
        await (await open(spread)).close();
        for (const statement of SPREAD) await (await getCluster()).query(statement, spread);
      }
      return await open(spread);
    },
  });

  test('the store names the tables that the operator spreads while it is open', async () => {
    const own = await getCluster();
    const database = await own.createDatabase();
    const found: unknown[] = [];
    const store = await open(database, (tables) => found.push(tables));
    const items = Array.from({ length: 100 }, (_, id) => ({ id: BigInt(id), name: 'Ginkgo' }));
    await Promise.all(items.map((item) => store.create('items', item)));
    for (const statement of SPREAD) await own.query(statement, database);
    await until(() => found.length > 0);
    const answers = await Promise.all(items.map((item) => store.create('items', item)));
    await store.close();
    expect(found.at(-1)).toContain('items');
    expect(new Set(answers)).toEqual(new Set(['replayed']));
  });

  test('the store finds the shard of a key by the hash of PostgreSQL', async () => {
    const keys = [0n, 1n, -1n, 2n ** 32n, -(2n ** 32n), 2n ** 53n + 1n, 2n ** 63n - 1n, -(2n ** 63n)];
    const found = await (
      await getCluster()
    ).query(`select hashint8(key) as hash from unnest('{${keys.join()}}'::bigint[]) as key`);
    expect(keys.map(hashOf)).toEqual(found.map(({ hash }) => hash));
  });

  test.each([
    ['fsync', 'off'],
    ['synchronous_commit', 'off'],
    ['synchronous_commit', 'local'],
  ])('the store is refused when a worker has %s = %s, and the message names the worker', async (setting, value) => {
    const own = await getCluster();
    const database = await own.createDatabase();
    const change = async (text: string) => {
      await own.query(text, 'postgres', 'worker2');
      await own.query('select pg_reload_conf()', 'postgres', 'worker2');
    };
    await change(`alter system set ${setting} = ${value}`);
    await until(async () => (await own.query(`show ${setting}`, 'postgres', 'worker2'))[0]?.[setting] === value);
    const refused = await open(database).catch((error: unknown) => error);
    await change(`alter system reset ${setting}`);
    await until(async () => (await own.query(`show ${setting}`, 'postgres', 'worker2'))[0]?.[setting] === 'on');
    expect(refused).toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringMatching(
        new RegExp(`the worker ${own.addressOf('worker2')} of .* has ${setting} = ${value}: the store needs on`),
      ),
    });
  });

  test('the store is refused when the tokens are spread, until they are in one place again', async () => {
    const own = await getCluster();
    const database = await own.createDatabase();
    await (await open(database)).close();
    await own.query("select create_reference_table('tokens')", database);
    await expect(open(database)).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining(`run select undistribute_table('tokens')`),
    });
    await own.query("select undistribute_table('tokens')", database);
    await (await open(database)).close();
  });
};

// Without a cluster, one skipped test stands for all of them.
if (noCitus === undefined) describe('Citus', testStores);
else testWith(noCitus, 'stores on Citus', () => undefined);
