import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/storage/open.ts';
import { MAX_WAITING } from '../../../../src/storage/queue.ts';
import { connect } from '../../../../src/storage/sqlite/connection.ts';
import { unpackEach } from '../../../../src/storage/sqlite/errors.ts';
import { type Task, Statements } from '../../../../src/storage/sqlite/statements.ts';
import type { Database, Queries, Store } from '../../../../src/storage/store.ts';
import { createEach, runSql } from '../../../support/app.ts';
import { inTime } from '../../../support/in-time.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { itemRow, LAYOUT } from '../../../services/items/index.ts';

const folder = temporaryFolder();
const opened: Store[] = [];
const open = async (name: string) => {
  const store = await openStore(LAYOUT, { engine: 'sqlite', path: join(folder, name) }, { create: true });
  opened.push(store);
  return store;
};
afterAll(() => Promise.all(opened.map((each) => each.close())));
const store = await open('items.db');
/** Stands for another process: inside a transaction, `store` itself refuses other calls. */
const other = await open('items.db');

const insert = (id: bigint, { database }: Pick<Queries, 'database'> = store) =>
  database.insertInto('items').values({ id, name: 'x' }).execute();
const rename = (id: bigint, name: string, database: Database = store.database) =>
  database.updateTable('items').set({ name }).where('id', '=', id).execute();
const nameOf = async (id: bigint, database: Database = store.database) => {
  const found = await database.selectFrom('items').select('name').where('id', '=', id).executeTakeFirst();
  return found?.name as string | undefined;
};

/** Runs a transaction with more statements than it may repeat, so that it runs once more, and alone. */
const runAlone = (firstId: bigint, work: () => Promise<unknown>) =>
  store.transaction(async (queries) => {
    for (let each = 0n; each < 17n; each++) await insert(firstId + each, queries);
    return await work();
  });

describe('the queue of writes of SQLite', () => {
  // A transaction runs alone, and the others wait for it, when the processor is taken from its thread for some milliseconds:
  // a busy machine does so in some of the runs.
  let nextId = 20_000n;
  const newIds = () => [nextId++, nextId++, nextId++] as const;

  test('serves creates, statements and transactions while a transaction waits for something else', async () => {
    await inTime(async () => {
      const ids = newIds();
      const ended: string[] = [];
      const [begun, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
      const dawdles = store.transaction(async (queries) => {
        await insert(ids[0], queries);
        begun.resolve(undefined);
        await end.promise;
      });
      const noted = dawdles.then(() => ended.push('dawdles'));
      try {
        await begun.promise;
        await store.create('items', { id: ids[1], name: 'x' });
        await rename(ids[1], 'changed');
        await store.transaction((queries) => insert(ids[2], queries));
        expect(ended).toEqual([]);
      } finally {
        end.resolve(undefined);
        await noted;
      }
      expect(await Promise.all(ids.map((id) => nameOf(id)))).toEqual(['x', 'changed', 'x']);
    });
  });

  test('runs a transaction again if a row that it has read was changed, and keeps nothing of the first run', async () => {
    await inTime(async () => {
      const ids = newIds();
      await insert(ids[0]);
      const seen: (string | undefined)[] = [];
      await store.transaction(async (queries) => {
        const name = await nameOf(ids[0], queries.database);
        seen.push(name);
        await insert(name === 'x' ? ids[1] : ids[2], queries);
        if (name === 'x') await rename(ids[0], 'other', other.database);
        await rename(ids[0], `${name ?? ''}!`, queries.database);
      });
      expect(seen).toEqual(['x', 'other']);
      expect(await Promise.all(ids.map((id) => nameOf(id)))).toEqual(['other!', undefined, 'x']);
    });
  });

  test('runs a transaction alone once others have changed three times what it reads', async () => {
    await inTime(async () => {
      const [id, after] = newIds();
      await Promise.all([insert(id), insert(after)]);
      let runs = 0;
      let changed: Promise<unknown> | undefined;
      await store.transaction(async ({ database }) => {
        const name = await nameOf(id, database);
        // The fourth run has locked the database, so this change waits for its end.
        changed = rename(id, `change ${++runs}`, other.database);
        await (runs < 4 ? changed : sleep(100));
        await rename(after, `after ${name ?? ''}`, database);
      });
      await changed;
      expect(await Promise.all([nameOf(id), nameOf(after)])).toEqual(['change 4', 'after change 3']);
    });
  });

  test('returns what a transaction that runs alone returns, and rejects with what it throws', async () => {
    const returned = new Error('returned');
    expect(await runAlone(800n, () => Promise.resolve(returned))).toBe(returned);
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what an operation may do
    await expect(runAlone(900n, () => Promise.reject('refused'))).rejects.toBe('refused');
    expect(await Promise.all([nameOf(800n), nameOf(900n)])).toEqual(['x', undefined]);
  });

  test('stores a row as it was when a transaction called `create`, although the transaction did not wait and changed it', async () => {
    let creation: Promise<unknown> | undefined;
    await store.transaction(({ create }) => {
      // Each run has a row of its own, because the store repeats a slow transaction.
      const row = { id: 120n, name: 'before' };
      creation = create('items', row);
      row.name = 'after';
      return Promise.resolve();
    });
    expect(await creation).toBe('created');
    expect(await nameOf(120n)).toBe('before');
  });

  test('finds tokens, reads rows and is ready beside a transaction that runs alone', async () => {
    const [begun, end] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const alone = runAlone(200n, () => {
      begun.resolve(undefined);
      return end.promise;
    });
    await begun.promise;
    let isCreated = false;
    const created = store.create('items', { id: 199n, name: 'x' }).then(() => {
      isCreated = true;
    });
    expect(await store.tokens.find(new Uint8Array(32))).toBeUndefined();
    await store.ready();
    expect(await nameOf(200n)).toBeUndefined();
    expect(isCreated).toBe(false);
    end.resolve(undefined);
    await alone;
    await created;
    expect(await nameOf(200n)).toBe('x');
  });

  test.each([
    [1, 100],
    [2, 5000],
  ])(
    'runs a transaction %i time(s) when it reads %i rows and then writes, as it may repeat only 64 KiB',
    async (times, rows) => {
      const firstId = 10_000n;
      await createEach(
        store,
        'items',
        Array.from({ length: rows }, (_, index) => ({ id: firstId + BigInt(index), name: 'x' })),
      );
      const tries: number[] = [];
      // Several, as a transaction also runs again when the processor is taken from its thread for some milliseconds.
      // A busy machine may do so often.
      while (tries.length < 10 || (Math.min(...tries) > times && tries.length < 200)) {
        let runs = 0;
        await store.transaction(async ({ database }) => {
          runs++;
          const read = database.selectFrom('items').selectAll().where('id', '>=', firstId).limit(rows);
          expect(await read.execute()).toHaveLength(rows);
          await rename(firstId, 'read', database);
        });
        tries.push(runs);
      }
      expect(Math.min(...tries)).toBe(times);
      expect(await nameOf(firstId)).toBe('read');
    },
  );

  test('stays not ready after a full disk, whatever a transaction reads or fails to write', async () => {
    const full = await open('full.db');
    await full.create('items', { id: 1n, name: 'x' });
    await full.ready();
    await runSql(full, 'pragma max_page_count = 1');
    const large = { id: 2n, name: 'x'.repeat(100_000) };
    const unavailable = { name: 'StoreUnavailable' };
    await expect(full.create('items', large)).rejects.toMatchObject(unavailable);
    await expect(full.ready()).rejects.toMatchObject(unavailable);
    await full.transaction(({ database }) => nameOf(1n, database));
    await expect(full.ready()).rejects.toMatchObject(unavailable);
    const alone = full.transaction(async (queries) => {
      for (let id = 10n; id < 27n; id++) await insert(id, queries);
      await queries.create('items', large);
    });
    await expect(alone).rejects.toMatchObject(unavailable);
    await expect(full.ready()).rejects.toMatchObject(unavailable);
    await runSql(full, 'pragma max_page_count = 1000000');
    await full.ready();
  });

  test('gives transactions that run alone and other writes turns', async () => {
    const ended: string[] = [];
    const alone = [300n, 400n, 500n, 600n].map(async (firstId) => {
      await runAlone(firstId, () => sleep(50));
      ended.push('alone');
    });
    await Promise.race(alone);
    await store.create('items', { id: 299n, name: 'x' });
    ended.push('create');
    await Promise.all(alone);
    expect(ended.indexOf('create')).toBeLessThan(3);
  });

  test('refuses creates, statements and transactions when too many of them wait, and stores none that it refuses', async () => {
    const kinds = [
      (id: bigint) => store.create('items', { id, name: 'x' }),
      (id: bigint) => insert(id),
      (id: bigint) => store.transaction((queries) => insert(id, queries)),
    ];
    const firstId = 1_000_000n;
    const asked = Array.from({ length: 4 * MAX_WAITING }, async (_, index) =>
      kinds[index % 3]?.(firstId + BigInt(index)),
    );
    const answers = await Promise.allSettled(asked);
    const refused = answers.flatMap(({ status }, index) => (status === 'rejected' ? index : []));
    expect(new Set(refused.map((index) => index % 3))).toEqual(new Set([0, 1, 2]));
    // On a busy machine, a transaction may be refused because it has waited too long.
    const reasons = answers.flatMap((answer) => (answer.status === 'rejected' ? [answer.reason as Error] : []));
    expect(new Set(reasons.map(({ name }) => name))).toEqual(new Set(['StoreUnavailable']));
    expect(reasons.map(({ message }) => message)).toContain('too many requests wait for the store');
    const kept = await store.database
      .selectFrom('items')
      .select('id')
      .where('id', '>=', firstId)
      .orderBy('id')
      .execute();
    const missing = new Set(refused.map((index) => firstId + BigInt(index)));
    expect(kept.map(({ id }) => id)).toEqual(
      asked.map((_, index) => firstId + BigInt(index)).filter((id) => !missing.has(id)),
    );
  });

  test('stores all writes but the one that breaks a constraint which SQLite checks at the commit', async () => {
    await runSql(store, 'create table held (item integer references items deferrable initially deferred)');
    const outcomes = await Promise.allSettled([
      store.create('items', { id: 700n, name: 'x' }),
      runSql(store, 'insert into held values (999)'),
      store.transaction((queries) => insert(701n, queries)),
      rename(700n, 'renamed'),
    ]);
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled', 'fulfilled']);
    expect(outcomes[1]).toMatchObject({ reason: { name: 'ConstraintViolated', constraint: 'foreign key' } });
    expect(await Promise.all([700n, 701n].map((id) => nameOf(id)))).toEqual(['renamed', 'x']);
    await runSql(store, 'drop table held');
  });

  test('stores exactly the writes that it acknowledges when the disk fills up in a batch of all kinds', () => {
    const { database } = connect(LAYOUT, join(folder, 'filling.db'), true);
    const pages = Number(database.prepare('pragma page_count').get()?.['page_count']);
    database.exec(`pragma max_page_count = ${pages + 20}`);
    const statements = new Statements(LAYOUT, database);
    const name = 'x'.repeat(1000);
    const inserting = (id: number) => ({
      sql: 'insert into items (id, name) values (?, ?)',
      values: [BigInt(id), name],
      writes: true,
    });
    const kinds = [
      (id: number): Task => itemRow({ id: BigInt(id), name }),
      inserting,
      (id: number): Task => ({
        done: [{ act: inserting(id), answer: { names: [], kinds: [], rows: [], changes: 1n } }],
        bytes: 0,
      }),
    ];
    let kept = 0;
    // Batches that fit, and one that does not.
    for (const size of [9, 9, 300, 9]) {
      const first = Number(database.prepare('select count(*) as count from items').get()?.['count']);
      expect(first).toBe(kept);
      const jobs = Array.from({ length: size }, (_, index) => kinds[index % 3]?.(1000 * size + first + index));
      const answers = unpackEach(statements.doAll(jobs as Task[], 'commit'));
      kept += answers.filter((answer) => !Error.isError(answer)).length;
      if (size === 300) {
        expect(new Set(answers.map((answer) => (answer as Error).name))).toEqual(new Set(['StoreUnavailable']));
        expect(database.isTransaction).toBe(false);
      }
    }
    expect(kept).toBeGreaterThan(18);
    expect(database.prepare('select count(*) as count from items').get()).toEqual({ count: kept });
    database.close();
  });
});
