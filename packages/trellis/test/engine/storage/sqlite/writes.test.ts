import { AsyncLocalStorage } from 'node:async_hooks';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { asCaller } from '../../../../src/storage/caller.ts';
import { openStore } from '../../../../src/storage/open.ts';
import { MAX_WAITING } from '../../../../src/storage/queue.ts';
import type { Database, Queries } from '../../../../src/storage/queries.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { createEach, runSql } from '../../../support/app.ts';
import { inTime, slowClock, timeOf } from '../../../support/in-time.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { until } from '../../../support/until.ts';
import { LAYOUT } from '../../../services/items/index.ts';

const folder = temporaryFolder();
const opened: Store[] = [];
const open = async (name: string) => {
  const store = await openStore(LAYOUT, { engine: 'sqlite', path: join(folder, name) }, { create: true });
  opened.push(store);
  return store;
};
afterAll(() => Promise.all(opened.map((each) => each.close())));
const store = await open('items.db');
/** An async context without a transaction. */
const outside = AsyncLocalStorage.snapshot();

const insert = (id: bigint, { database }: Pick<Queries, 'database'> = store) =>
  database.insertInto('items').values({ id, name: 'x' }).execute();
const rename = (id: bigint, name: string, database: Database = store.database) =>
  database.updateTable('items').set({ name }).where('id', '=', id).execute();
const nameOf = async (id: bigint, database: Database = store.database) => {
  const found = await database.selectFrom('items').select('name').where('id', '=', id).executeTakeFirst();
  return found?.name as string | undefined;
};

const newId = (() => {
  let id = 20_000n;
  return () => id++;
})();

describe('a transaction on SQLite', () => {
  test('is undone after 50, 100 and 250 ms without a query, others write meanwhile, and it then fails with the cure', async () => {
    const [undone, beside] = [newId(), [newId(), newId(), newId()]];
    const seen: string[] = [];
    const begun: number[] = [];
    const creations: Promise<unknown>[] = [];
    const held = store.transaction(async (queries) => {
      await insert(undone, queries);
      seen.push('runs');
      begun.push(performance.now());
      await new Promise(() => undefined);
    });
    for (const id of beside) {
      await until(() => begun.length > creations.length);
      creations.push(store.create('items', { id, name: 'x' }).then(() => seen.push('created')));
    }
    await expect(held).rejects.toThrow('do slow work before or after the transaction');
    const [first = 0, second = 0, third = 0] = begun;
    // The first tick may come soon after the begin.
    expect(second - first).toBeGreaterThan(44);
    expect(third - second).toBeGreaterThan(94);
    expect(performance.now() - third).toBeGreaterThan(244);
    await Promise.all(creations);
    expect(seen.slice(0, 5)).toEqual(['runs', 'created', 'runs', 'created', 'runs']);
    expect(await nameOf(undone)).toBeUndefined();
  });

  test('succeeds in a later run, and keeps nothing of a run that was undone', async () => {
    const ids = [newId(), newId()];
    let runs = 0;
    const ran = await store.transaction(async (queries) => {
      await insert(ids[runs++] ?? 0n, queries);
      if (runs === 1) await sleep(1000);
      return runs;
    });
    expect(ran).toBe(2);
    expect(await Promise.all(ids.map((id) => nameOf(id)))).toEqual([undefined, 'x']);
  });

  test('is not undone because its queries are slow, or because the event loop is late', async () => {
    const firstId = 30_000n;
    const rows = Array.from({ length: 1000 }, (_, index) => ({ id: firstId + BigInt(index), name: 'x' }));
    await createEach(store, 'items', rows);
    let runs = 0;
    let queryMs = 0;
    await store.transaction(async ({ database }) => {
      runs++;
      const askedAt = performance.now();
      const all = database.selectFrom(['items as one', 'items as other']).select(({ fn }) => fn.countAll().as('all'));
      while (queryMs < 150) {
        await all.where('one.name', '<=', 'x').whereRef('one.name', '<=', 'other.name').execute();
        queryMs = performance.now() - askedAt;
      }
      for (let late = 0; late < 3; late++) {
        const lateUntil = performance.now() + 60;
        while (performance.now() < lateUntil);
        await sleep(1);
      }
    });
    expect([runs, queryMs >= 150]).toEqual([1, true]);
  });

  test('of 64 slow ones of a caller delays the creates, statements and transactions of another by 300 ms at most', async () => {
    await inTime(async () => {
      const over = new AbortController();
      const dawdle = () =>
        store.transaction(async (queries) => {
          await insert(newId(), queries);
          if (!over.signal.aborted) await sleep(40);
        });
      const crowd = asCaller('crowd', () => Array.from({ length: 64 }, dawdle));
      const times: number[] = [];
      await asCaller('other', async () => {
        const id = newId();
        const kinds = [
          () => store.create('items', { id, name: 'x' }),
          () => rename(id, 'y'),
          () => store.transaction(({ database }) => rename(id, 'z', database)),
        ];
        for (let round = 0; round < 3; round++) for (const ask of kinds) times.push(await timeOf(ask));
      });
      over.abort();
      await Promise.all(crowd);
      expect(Math.max(...times)).toBeLessThan(300);
    });
  });

  test('that awaits a write which was called before it is undone once, and then succeeds', async () => {
    const [id, own] = [newId(), newId()];
    const created = store.create('items', { id, name: 'x' });
    await store.transaction(async (queries) => {
      await insert(own, queries);
      await created;
    });
    expect(await Promise.all([id, own].map((each) => nameOf(each)))).toEqual(['x', 'x']);
  });

  test('that awaits a write outside of it, which waits for its end, fails with an error that says so', async () => {
    const awaits = store.transaction(async (queries) => {
      await insert(newId(), queries);
      await outside(() => store.create('items', { id: newId(), name: 'x' }));
    });
    await expect(awaits).rejects.toThrow('a write that is called outside of it waits for its end');
  });

  test.each<[string, (queries: Queries) => Promise<unknown>, object]>([
    ['throws', () => Promise.reject(new Error('refused')), { message: 'refused' }],
    ['breaks a constraint', (queries) => insert(20_000n, queries), { name: 'ConstraintViolated' }],
    [
      'breaks a constraint that the commit checks',
      ({ database }) => database.insertInto('held').values({ item: 999n }).execute(),
      { name: 'ConstraintViolated', constraint: 'foreign key' },
    ],
    [
      'rolls all back',
      ({ database }) => database.insertInto('thorns').values({ id: null }).execute(),
      { name: 'ConstraintViolated' },
    ],
  ])('that %s leaves what shares its commit as it is', async (_what, fails, reason) => {
    await insert(20_000n).catch(() => undefined);
    await runSql(store, 'create table held (item integer references items deferrable initially deferred)');
    await runSql(store, 'create table thorns (id integer not null on conflict rollback)');
    const ids = [newId(), newId(), newId(), newId()] as const;
    const outcomes = await Promise.allSettled([
      store.transaction((queries) => insert(ids[0], queries)),
      store.transaction(async (queries) => {
        await insert(ids[1], queries);
        await fails(queries);
      }),
      store.create('items', { id: ids[2], name: 'x' }),
      store.transaction(async (queries) => {
        await insert(ids[3], queries);
        return await nameOf(ids[0], queries.database);
      }),
    ]);
    await runSql(store, 'drop table held');
    await runSql(store, 'drop table thorns');
    expect(outcomes).toMatchObject([
      { status: 'fulfilled' },
      { status: 'rejected', reason },
      { status: 'fulfilled', value: 'created' },
      { status: 'fulfilled', value: 'x' },
    ]);
    expect(await Promise.all(ids.map((id) => nameOf(id)))).toEqual(['x', undefined, 'x', 'x']);
  });

  test('shares a commit with others, and with what is asked while they run', async () => {
    const batches: number[] = [];
    const observer = { written: (writes: number) => batches.push(writes), answered: () => 0, failed: () => 0 };
    const location = { engine: 'sqlite', path: join(folder, 'shared.db') } as const;
    const shared = await openStore(LAYOUT, location, { create: true, observer });
    opened.push(shared);
    using _slow = slowClock();
    let created: Promise<unknown> | undefined;
    const own = Array.from({ length: 20 }, (_, index) =>
      shared.transaction(async (queries) => {
        await insert(BigInt(index), queries);
        if (index === 3) created = outside(() => shared.create('items', { id: 100n, name: 'x' }));
      }),
    );
    await Promise.all(own);
    await created;
    expect(batches).toEqual([21]);
  });

  test('returns any value, and rejects with any that its function throws', async () => {
    const returned = new Error('returned');
    expect(await store.transaction(() => Promise.resolve(returned))).toBe(returned);
    // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- what an operation may do
    await expect(store.transaction(() => Promise.reject('refused'))).rejects.toBe('refused');
  });
});

describe('the queue of writes of SQLite', () => {
  test('stores a row as it was when a transaction called `create`, although the transaction did not wait and changed it', async () => {
    let creation: Promise<unknown> | undefined;
    await store.transaction(({ create }) => {
      const row = { id: 120n, name: 'before' };
      creation = create('items', row);
      row.name = 'after';
      return Promise.resolve();
    });
    expect(await creation).toBe('created');
    expect(await nameOf(120n)).toBe('before');
  });

  test('finds tokens, reads rows and is ready beside a transaction, whose end a create waits for', async () => {
    const [id, later] = [newId(), newId()];
    const ended: string[] = [];
    let isOver = false;
    let runs = 0;
    const asks = store.transaction(async (queries) => {
      await insert(id, queries);
      for (runs++; !isOver;) await nameOf(id, queries.database);
    });
    const noted = asks.then(() => ended.push('transaction'));
    await until(() => runs > 0);
    const created = store.create('items', { id: later, name: 'x' }).then(() => ended.push('create'));
    expect(await store.tokens.find(new Uint8Array(32))).toBeUndefined();
    await store.ready();
    expect(await nameOf(id)).toBeUndefined();
    expect(ended).toEqual([]);
    isOver = true;
    await Promise.all([noted, created]);
    expect(await nameOf(id)).toBe('x');
  });

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
    const fails = full.transaction(async (queries) => {
      for (let id = 10n; id < 27n; id++) await insert(id, queries);
      await queries.create('items', large);
    });
    await expect(fails).rejects.toMatchObject(unavailable);
    await expect(full.ready()).rejects.toMatchObject(unavailable);
    await runSql(full, 'pragma max_page_count = 1000000');
    await full.ready();
  });

  test('refuses creates and statements when too many of them wait, beside transactions, and stores none that it refuses', async () => {
    const kinds = [
      (id: bigint) => store.create('items', { id, name: 'x' }),
      (id: bigint) => insert(id),
      (id: bigint) => store.transaction((queries) => insert(id, queries)),
    ];
    const firstId = 1_000_000n;
    const asked = Array.from({ length: 3 * MAX_WAITING }, async (_, index) =>
      kinds[index % 100 === 0 ? 2 : index % 2]?.(firstId + BigInt(index)),
    );
    const answers = await Promise.allSettled(asked);
    const refused = answers.flatMap(({ status }, index) => (status === 'rejected' ? index : []));
    expect(new Set(refused.map((index) => index % 2))).toEqual(new Set([0, 1]));
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

  test('stores exactly the writes that it acknowledges when the disk fills up in a batch of all kinds', async () => {
    const filling = await open('filling.db');
    const [{ page_count: pages } = {}] = (await filling.run({ sql: 'pragma page_count', values: [], writes: false }))
      .rows;
    await runSql(filling, `pragma max_page_count = ${Number(pages) + 20}`);
    const name = 'x'.repeat(1000);
    const kinds = [
      (id: bigint) => filling.create('items', { id, name }),
      (id: bigint) => filling.database.insertInto('items').values({ id, name }).execute(),
      (id: bigint) => filling.transaction(({ create }) => create('items', { id, name })),
    ];
    const kept: bigint[] = [];
    let id = 0n;
    // Batches that fit, and one that does not.
    for (const size of [9, 9, 300, 9]) {
      const ids = Array.from({ length: size }, () => id++);
      const answers = await Promise.allSettled(ids.map(async (each) => kinds[Number(each) % 3]?.(each)));
      kept.push(...ids.filter((_, index) => answers[index]?.status === 'fulfilled'));
      for (const answer of answers)
        if (answer.status === 'rejected') expect(answer.reason).toMatchObject({ name: 'StoreUnavailable' });
    }
    expect(kept.length).toBeGreaterThan(18);
    expect(kept.length).toBeLessThan(327);
    const stored = await filling.database.selectFrom('items').select('id').orderBy('id').execute();
    expect(stored.map((row) => row.id)).toEqual(kept);
  });
});
