import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/storage/open.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { allRows } from '../../../support/app.ts';
import { insist } from '../../../support/insist.ts';
import { inTime } from '../../../support/in-time.ts';
import { freePort } from '../../../support/port.ts';
import { PostgresServer } from '../../../support/postgres.ts';
import { until } from '../../../support/until.ts';
import { LAYOUT } from '../../../services/items/index.ts';

const primary = await PostgresServer.create();
afterAll(() => primary.remove());

const open = (url: string) => openStore(LAYOUT, readPostgresLocation(url), { create: true });
const UNAVAILABLE = expect.objectContaining({ name: 'StoreUnavailable' });
const ITEM = { id: 1n, name: 'Ginkgo' };
const WAITING = "select pid from pg_stat_activity where wait_event = 'SyncRep'";

describe('a standby that is away', () => {
  let database: string;
  let store: Store;
  beforeEach(async () => {
    database = await primary.createDatabase();
    // Hides PostgreSQL's warning that a commit did not wait for the standby.
    await primary.query(`alter database ${database} set client_min_messages = 'error'`);
    store = await open(primary.url(database));
    await commitsWaitFor('a standby that is away');
  });
  afterEach(async () => {
    await commitsWaitFor('');
    await store.close();
  });

  /** Sets the name of the standby that commits wait for; with '', they wait for none. */
  async function commitsWaitFor(standby: string): Promise<void> {
    primary.set({ synchronous_standby_names: standby === '' ? '' : `"${standby}"` });
    primary.reload();
    await primary.until(
      `select 1 where (current_setting('synchronous_standby_names') = '') = ${String(standby === '')}`,
    );
    // Commits wait only once the checkpointer has reloaded the setting, which it does before a checkpoint.
    await primary.query('checkpoint');
  }

  test('while the synchronous standby is away, the store acknowledges no item until commits no longer wait, and then replays the item', async () => {
    const item = { id: 1n, name: 'Ginkgo' };
    // The store has 0.5 s to cancel what it gives up, in a connection of its own.
    await inTime(async () => {
      await primary.query("select pg_terminate_backend(pid) from pg_stat_activity where wait_event = 'SyncRep'");
      await expect(store.create('items', item)).rejects.toEqual(UNAVAILABLE);
      // Queries on the primary see the item, but the standby does not have it.
      expect(await allRows(store, 'items')).toEqual([item]);
      await expect(store.create('items', item)).rejects.toEqual(UNAVAILABLE);
      await until(async () => (await primary.query(WAITING)).length === 0, 5000);
    });
    await commitsWaitFor('');
    expect(await store.create('items', item)).toBe('replayed');
  });

  test('while the synchronous standby is away, the store is not ready', async () => {
    await expect(store.ready()).rejects.toEqual(UNAVAILABLE);
    await commitsWaitFor('');
    await store.ready();
  });

  test.each([
    ['a statement that changes a row', () => store.database.insertInto('items').values(ITEM).execute()],
    ['a statement that changes none', () => store.remove('items', 1n)],
    [
      'a transaction that changes a row',
      () => store.transaction(({ database: own }) => own.insertInto('items').values(ITEM).execute()),
    ],
    [
      'a transaction that only reads',
      () => store.transaction(({ database: own }) => own.selectFrom('items').select('id').execute()),
    ],
    ['a transaction without a query', () => store.transaction(() => Promise.resolve())],
  ])(
    'while the synchronous standby is away, the store acknowledges %s once commits no longer wait',
    async (_name, run) => {
      const insert = `insert into items (id, name) values (2, 'seen')`;
      await primary.query(`set synchronous_commit = local; ${insert}`, database);
      let settled = false;
      const running = run().finally(() => {
        settled = true;
      });
      await primary.until(WAITING);
      expect(settled).toBe(false);
      await commitsWaitFor('');
      await running;
    },
  );

  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'while the synchronous standby is away, the store does not acknowledge a statement when an operator ends its wait by %s, as it may have taken effect',
    async (end) => {
      const inserting = store.database.insertInto('items').values(ITEM).execute();
      const outcome = inserting.then(() => 'done', String);
      await primary.until(WAITING);
      await primary.query(`select ${end}(pid) from pg_stat_activity where wait_event = 'SyncRep'`);
      expect(await outcome).toMatch(/^StoreUnavailable: PostgreSQL may have committed the transaction: /);
      expect(await allRows(store, 'items')).toEqual([ITEM]);
    },
  );

  test.each(['pg_cancel_backend', 'pg_terminate_backend'])(
    'while the synchronous standby is away, the store acknowledges no item when an operator ends the wait by %s, although PostgreSQL reports success',
    async (end) => {
      const creation = store.create('items', { id: 1n, name: 'Ginkgo' });
      let settled = false;
      void creation
        .then(() => {
          settled = true;
        })
        .catch(() => undefined);
      await primary.until(WAITING);
      const [{ begun } = {}] = await primary.query(
        `select query_start::text as begun, ${end}(pid) from pg_stat_activity where wait_event = 'SyncRep'`,
      );
      // The store retries the create, and waits for the standby again.
      await primary.until(`${WAITING} and query_start > '${String(begun)}'`);
      expect(settled).toBe(false);
      await commitsWaitFor('');
      expect(await creation).toBe('replayed');
    },
  );

  test('while the synchronous standby is away, the store acknowledges no item that queries see only because the primary crashed during the wait', async () => {
    const item = { id: 1n, name: 'Ginkgo' };
    const lost = store.create('items', item).catch(() => undefined);
    await primary.until(WAITING);
    await primary.kill();
    await lost;
    await primary.start();
    expect(await allRows(store, 'items')).toEqual([item]);
    await expect(store.create('items', item)).rejects.toEqual(UNAVAILABLE);
    await commitsWaitFor('');
    expect(await store.create('items', item)).toBe('replayed');
  });
});

describe('several hosts', () => {
  const hosts = (ports: readonly number[], database: string) =>
    `postgres://postgres@${ports.map((port) => `127.0.0.1:${port}`).join()}/${database}?target_session_attrs=read-write`;

  test('with several hosts in its URL, the store uses the host that answers', async () => {
    const store = await open(hosts([await freePort(), primary.port], await primary.createDatabase()));
    expect(await store.create('items', { id: 1n, name: 'Ginkgo' })).toBe('created');
    await store.close();
  });

  test('with several hosts in its URL, the store names each host in the error when none answers', async () => {
    const ports = [await freePort(), await freePort()];
    await expect(open(hosts(ports, 'items'))).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringMatching(
        new RegExp(
          `^PostgreSQL at ${ports.map((port) => `127.0.0.1:${port}`).join()}/items is not available: .*ECONNREFUSED`,
        ),
      ),
    });
  });

  test('with several hosts in its URL, the store uses the primary, and uses the standby after its promotion', async () => {
    const database = await primary.createDatabase();
    const standby = await primary.createStandby();
    const store = await open(hosts([standby.port, primary.port], database));
    const items = Array.from({ length: 20 }, (_, index) => ({ id: BigInt(index), name: 'Ginkgo' }));
    const [first, second] = [items.slice(0, 10), items.slice(10)];
    expect(new Set(await Promise.all(first.map((item) => store.create('items', item))))).toEqual(new Set(['created']));
    // The standby has the table a moment later.
    await standby.until(`select 1 where to_regclass('items') is not null`, database);
    await standby.until(`select from items where id = 9`, database);
    await primary.kill();
    const creations = Promise.all(second.map((item) => insist(() => store.create('items', item))));
    await standby.promote();
    expect(new Set(await creations)).toEqual(new Set(['created']));
    expect(await allRows(store, 'items')).toEqual(items);
    await store.close();
    await standby.remove();
    await primary.start();
  });

  test('with several hosts in its URL, the store changes to the other host when its host becomes read-only', async () => {
    const other = await PostgresServer.create();
    const database = await primary.createDatabase();
    await other.query(`create database ${database}`);
    const store = await open(hosts([primary.port, other.port], database));
    await store.create('items', { id: 1n, name: 'Ginkgo' });
    // Programs that manage failover make a primary read-only in this way.
    primary.set({ default_transaction_read_only: 'on' });
    primary.reload();
    await primary.until("select 1 where current_setting('default_transaction_read_only') = 'on'");
    await (await open(other.url(database))).close();
    expect(await store.create('items', { id: 2n, name: 'Ginkgo' })).toBe('created');
    expect(await other.query('select id from items', database)).toEqual([{ id: '2' }]);
    primary.set({ default_transaction_read_only: 'off' });
    primary.reload();
    await store.close();
    await other.remove();
  });
});
