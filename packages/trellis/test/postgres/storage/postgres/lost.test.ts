import { once } from 'node:events';
import { createServer } from 'node:net';
import { afterAll, afterEach, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { STORE_PATIENCE_MS } from '../../../../src/storage/queue.ts';
import { openStore } from '../../../../src/storage/open.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { inTime, slowClock, timeOf } from '../../../support/in-time.ts';
import { freePort } from '../../../support/port.ts';
import { allRows } from '../../../support/app.ts';
import { PostgresServer } from '../../../support/postgres.ts';
import { ITEMS, ROOT, start } from '../../../support/service.ts';
import { Session } from '../../../support/session.ts';
import { type Item, LAYOUT } from '../../../services/items/index.ts';

const server = await PostgresServer.create();
afterAll(() => server.remove());

const open = (url: string) => openStore(LAYOUT, readPostgresLocation(url), { create: true });
const UNAVAILABLE = expect.objectContaining({ name: 'StoreUnavailable' });
const LOSE = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'item-store'";
const WAITS = "select 1 from pg_stat_activity where application_name = 'item-store' and wait_event_type = 'Lock'";

describe('an open store', () => {
  let database: string;
  let store: Store;
  beforeEach(async () => {
    database = await server.createDatabase();
    store = await open(server.url(database));
  });
  afterEach(() => store.close());

  test('ends a list with an error when its connection is lost halfway', async () => {
    const items = Array.from({ length: 5000 }, (_, id): Item => ({ id: BigInt(id), name: 'Ginkgo' }));
    using _slow = slowClock();
    await Promise.all(items.map((item) => store.create('items', item)));
    let listed = 0;
    const list = async () => {
      for await (const portion of store.list('items')) {
        if (listed === 0) await server.query(LOSE);
        listed += portion.length;
      }
    };
    await expect(list()).rejects.toEqual(UNAVAILABLE);
    expect(listed).toBeLessThan(5000);
    expect(await allRows(store, 'items')).toEqual(items);
  });

  test.each([
    ['rejects with an exception', "begin if new.name = 'weed' then raise exception 'no'; end if; return new; end"],
    [
      'rejects with an exception, after a warning for each item',
      "begin raise warning 'hm'; if new.name = 'weed' then raise exception 'no'; end if; return new; end",
    ],
    ['silently drops', "begin if new.name = 'weed' then return null; end if; return new; end"],
  ])('rejects only the item that a trigger of the operator %s', async (_name, body) => {
    await server.query(
      `create function judge() returns trigger language plpgsql as $$ ${body} $$;
       create trigger judge before insert on items for each row execute function judge()`,
      database,
    );
    const items = Array.from({ length: 200 }, (_, id) => ({ id: BigInt(id), name: id === 100 ? 'weed' : 'Ginkgo' }));
    const outcomes = await Promise.allSettled(items.map((item) => store.create('items', item)));
    expect(outcomes.flatMap(({ status }, id) => (status === 'rejected' ? [id] : []))).toEqual([100]);
    expect(outcomes[100]).toMatchObject({ reason: { name: 'StatementRejectedError' } });
    expect(await allRows(store, 'items')).toHaveLength(199);
  });

  /** Begins a change that waits for a lock, and ends its wait as `end` does, however long that takes. */
  async function interrupt(lock: string, change: () => Promise<unknown>, end: () => Promise<unknown>) {
    await using other = await Session.open(server.url(database));
    await other.run(`begin; ${lock}`);
    using _slow = slowClock();
    const changing = change().catch(String);
    await server.until(WAITS);
    await end();
    await other.run('rollback').catch(() => undefined);
    return await changing;
  }

  test('repeats a change when its connection is lost before the commit', async () => {
    expect(await store.tokens.add({ name: 'mine', hash: new Uint8Array(32), scopes: [] })).toBe(true);
    await server.query(LOSE);
    expect(await store.tokens.revoke('mine')).toBe(true);
    await store.create('items', { id: 1n, name: 'Ginkgo' });
    expect(
      await interrupt(
        'lock table items in exclusive mode',
        () => store.remove('items', 1n),
        () => server.query(LOSE),
      ),
    ).toBe(true);
  });

  describe('changes that wait in their commit', () => {
    const token = (fill: number) => ({
      name: `token ${fill}`,
      hash: new Uint8Array(32).fill(fill),
      created_at: 0n,
      scopes: '',
    });
    let tries: number;
    const changes = {
      statement: () => store.database.insertInto('tokens').values(token(1)).execute(),
      transaction: (repeatable: boolean) =>
        store.transaction(
          async ({ database: tables }) => {
            tries++;
            await tables.insertInto('tokens').values(token(1)).execute();
          },
          { repeatable },
        ),
    };
    beforeEach(async () => {
      await server.query(
        `create function wait() returns trigger language plpgsql as $$ begin
           perform pg_advisory_xact_lock(1); return null; end $$;
         create constraint trigger wait after insert on tokens deferrable initially deferred
           for each row execute function wait()`,
        database,
      );
      // PostgreSQL must recover in the time that the store waits: with twenty new databases, that takes a second or more.
      await server.query('checkpoint');
    });

    const interruptCommit = (change: () => Promise<unknown>, end: () => Promise<unknown>) =>
      interrupt(
        'select pg_advisory_xact_lock(1)',
        () => {
          tries = 0;
          return change().then(() => 'done');
        },
        end,
      );
    const restart = async () => {
      await server.kill();
      await server.start();
    };
    const MAYBE = expect.stringMatching(/^StoreUnavailable: PostgreSQL may have committed the transaction: /);

    test.each([
      ['does not repeat a statement', changes.statement, MAYBE, []],
      ['does not repeat a transaction', () => changes.transaction(false), MAYBE, []],
      ['repeats a repeatable transaction', () => changes.transaction(true), 'done', ['token 1']],
    ])(
      'when a change waits in its commit, the store %s if PostgreSQL is killed',
      async (_name, change, outcome, names) => {
        expect(await interruptCommit(change, restart)).toEqual(outcome);
        expect((await store.tokens.list()).map(({ name }) => name)).toEqual(names);
      },
    );

    test.each([
      ['a statement', changes.statement, 0],
      ['a transaction', () => changes.transaction(false), 2],
    ])(
      'when a change waits in its commit, the store repeats %s if PostgreSQL ends the connection, and says so',
      async (_name, change, times) => {
        expect(await interruptCommit(change, () => server.query(LOSE))).toBe('done');
        // Or more often: the store cancels a statement that waits too long for its lock, and repeats it.
        expect(tries).toBeGreaterThanOrEqual(times);
        expect(await store.tokens.list()).toHaveLength(1);
      },
    );
  });
});

test('the store leaves no connection open when it closes during a write', async () => {
  const database = await server.createDatabase();
  const store = await open(server.url(database));
  await using other = await Session.open(server.url(database));
  await other.run('begin; lock table items in exclusive mode');
  const writing = store.database.insertInto('items').values({ id: 1n, name: 'Ginkgo' }).executeTakeFirstOrThrow();
  await server.until(WAITS);
  await store.close();
  await other.run('rollback');
  expect((await writing).numInsertedOrUpdatedRows).toBe(1n);
  const connections = `from pg_stat_activity where datname = '${database}' and application_name = 'item-store'`;
  await server.until(`select where not exists (select ${connections})`);
});

test('the store reports a failed item and no batch to its observer while it is not open yet', async () => {
  const observer = { written: jest.fn(), answered: jest.fn(), failed: jest.fn() };
  const location = readPostgresLocation(`postgres://postgres@127.0.0.1:${await freePort()}/items`);
  const store = await openStore(LAYOUT, location, { create: true, onUnreachable: () => undefined, observer });
  await expect(store.create('items', { id: 1n, name: 'Ginkgo' })).rejects.toEqual(UNAVAILABLE);
  await store.close();
  expect(observer.failed.mock.calls).toEqual([[UNAVAILABLE]]);
  expect(observer.written).not.toHaveBeenCalled();
});

test('the store opens on the second host if the first one takes connections and never answers', async () => {
  const silent = createServer((socket) => socket.on('error', () => undefined));
  const port = await freePort();
  silent.listen(port, '127.0.0.1');
  await once(silent, 'listening');
  const url = server.url(await server.createDatabase()).replace('@', `@127.0.0.1:${port},`);
  const onUnreachable = jest.fn();
  const store = await openStore(LAYOUT, readPostgresLocation(url), { create: true, onUnreachable });
  await store.opened;
  expect(onUnreachable).toHaveBeenCalledTimes(1);
  await store.close();
  silent.close();
});

test('the store rejects with StoreUnavailable when a balancer without a backend closes each connection', async () => {
  let dialled = 0;
  const balancer = createServer((socket) => {
    dialled++;
    socket.end();
  });
  const port = await freePort();
  balancer.listen(port, '127.0.0.1');
  await once(balancer, 'listening');
  const url = `postgres://postgres@127.0.0.1:${port}/items?sslmode=disable`;
  await inTime(async () => {
    dialled = 0;
    const duration = await timeOf(() => expect(open(url)).rejects.toEqual(UNAVAILABLE));
    expect(dialled).toBeLessThan(100);
    expect(duration).toBeLessThan(STORE_PATIENCE_MS + 1000);
  });
  balancer.close();
});

describe('a migration lock that is held', () => {
  let database: string;
  let other: Session;
  beforeEach(async () => {
    database = await server.createDatabase();
    await (await open(server.url(database))).close();
    const tables = Object.keys(LAYOUT.tables).join();
    await server.query(`drop table ${tables}, schema_steps; update schema_version set version = 0`, database);
    other = await Session.open(server.url(database));
    await other.run('begin; select from schema_version for update');
  });

  test('while another process holds the migration lock, the store replaces a lost connection, and migrates once the lock is free', async () => {
    const opening = open(server.url(database));
    await server.until(WAITS);
    await server.query(LOSE);
    await server.until(WAITS);
    await other.run('rollback');
    const store = await opening;
    expect(await store.create('items', { id: 1n, name: 'Ginkgo' })).toBe('created');
    await store.close();
    await other[Symbol.asyncDispose]();
  });

  test('while another process holds the migration lock, the service stops on SIGTERM', async () => {
    const environment = { DATABASE_URL: server.url(database), PORT: '0' };
    const service = start(process.execPath, [ITEMS.main, 'serve'], environment, ROOT);
    await server.until(WAITS);
    service.child.kill('SIGTERM');
    // The service would end with 1 if it gave up, which it does after 5.5 s by its own clock.
    expect(await service.ended).toBe(0);
    await other.run('rollback');
    await other[Symbol.asyncDispose]();
  });
});
