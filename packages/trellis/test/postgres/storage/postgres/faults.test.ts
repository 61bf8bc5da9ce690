import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sql } from 'kysely';
import { STORE_PATIENCE_MS } from '../../../../src/storage/queue.ts';
import { openStore } from '../../../../src/storage/open.ts';
import { ofTable, formatsOf } from '../../../../src/storage/rows.ts';
import type { Queries } from '../../../../src/storage/queries.ts';
import type { Store } from '../../../../src/storage/store.ts';
import { createBatch, Creating } from '../../../../src/storage/postgres/batch.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { Session } from '../../../../src/storage/postgres/session.ts';
import { allRows, runSql } from '../../../support/app.ts';
import { insist } from '../../../support/insist.ts';
import { inTime, slowClock, timeOf } from '../../../support/in-time.ts';
import { PostgresServer } from '../../../support/postgres.ts';
import { Session as OtherSession } from '../../../support/session.ts';
import { type Item, itemRow, LAYOUT } from '../../../services/items/index.ts';

const server = await PostgresServer.create({ deadlock_timeout: '100ms' });
afterAll(() => server.remove());

const open = (name: string) => openStore(LAYOUT, readPostgresLocation(server.url(name)), { create: true });
const empty = await server.createDatabase();
await (await open(empty)).close();

let database: string;
let store: Store;
beforeEach(async () => {
  database = await server.createDatabase(`template ${empty}`);
  store = await open(database);
});
afterEach(() => store.close());

let nextId = 0n;
const newItem = (): Item => ({ id: nextId++, name: 'Ginkgo' });
const UNAVAILABLE = expect.objectContaining({ name: 'StoreUnavailable' });
const sabotage = (text: string) => server.query(text, database);

/** Installs a trigger that makes the next inserts fail with a SQLSTATE. @param times how many inserts fail */
async function failInserts(state: string, times: number): Promise<void> {
  // The function counts with a sequence, because PostgreSQL does not roll back a sequence.
  await sabotage(`create sequence tries;
    create function fail() returns trigger language plpgsql as $$ begin
      if nextval('tries') <= ${times} then raise exception 'sabotage' using errcode = '${state}'; end if;
      return null; end $$;
    create trigger fail before insert on items for each statement execute function fail()`);
}

describe('batches that are retried', () => {
  test.each([
    ['a serialization failure', '40001'],
    ['a deadlock', '40P01'],
    ['a commit with an unknown outcome', '40003'],
    ['too many connections', '53300'],
    ['a full disk', '53100'],
    ['a lock that is not available', '55P03'],
    ['a cancellation', '57014'],
    ['a server that shuts down', '57P01'],
    ['a disk error', '58030'],
    ['an internal error', 'XX000'],
    ['a read-only server', '25006'],
  ])('the store retries a batch of items after %s (%s)', async (_name, state) => {
    await failInserts(state, 2);
    const item = newItem();
    expect(await store.create('items', item)).toBe('created');
    expect(await allRows(store, 'items')).toEqual([item]);
  });

  test('the store retries a batch of items after a real deadlock', async () => {
    const [one, two] = [newItem(), newItem()];
    await using other = await OtherSession.open(server.url(database));
    await other.run('begin');
    await other.run(`insert into items (id, name) values (${String(two.id)}, 'Ginkgo')`);
    // The store has two writers. The first two items keep both busy, so that the next two items form one batch.
    const first = [newItem(), newItem()].map((item) => store.create('items', item));
    const creations = [one, two].map((item) => store.create('items', item));
    await server.until("select 1 from pg_stat_activity where wait_event_type = 'Lock'");
    await other.run(`insert into items (id, name) values (${String(one.id)}, 'Ginkgo')`).catch(() => undefined);
    await other.run('rollback');
    expect(await Promise.all([...first, ...creations])).toEqual(['created', 'created', 'created', 'created']);
  });

  test('the store retries a batch of items after each of many lost connections', async () => {
    await using other = await OtherSession.open(server.url());
    const kill = "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'item-store'";
    let lost = 0;
    const items: Item[] = [];
    const creations: string[] = [];
    while (lost <= 50) {
      const item = newItem();
      items.push(item);
      const creation = store.create('items', item);
      // At most once for each item: a busy machine might not create it between two kills.
      await sleep(items.length % 5);
      lost += (await other.run(kill)).length;
      creations.push(await creation);
    }
    // If the answer to an insert is lost, which is rare here, the retry finds the row: standby.test.ts.
    expect(new Set(creations)).toContain('created');
    expect(await allRows(store, 'items')).toEqual(items);
  });

  test('the store retries a batch of items after a kill and restart of the server', async () => {
    const before = newItem();
    await store.create('items', before);
    await server.kill();
    const after = newItem();
    const creation = insist(() => store.create('items', after));
    await server.start();
    expect(['created', 'replayed']).toContain(await creation);
    expect(await allRows(store, 'items')).toEqual([before, after]);
  });
});

test.each([
  ['a serialization failure', '40001'],
  ['a deadlock', '40P01'],
  ['a full disk', '53100'],
  ['a server that shuts down', '57P01'],
  ['an internal error', 'XX000'],
])('the store retries a statement and a transaction after %s (%s)', async (_name, state) => {
  await failInserts(state, 2);
  await store.database.insertInto('items').values(newItem()).execute();
  await sabotage('alter sequence tries restart');
  await store.transaction(({ database: own }) => own.insertInto('items').values(newItem()).execute());
  expect(await allRows(store, 'items')).toHaveLength(2);
});

test('a deferred constraint fails a statement and a transaction at their commit, and the next ones succeed', async () => {
  await sabotage('alter table items add constraint one_name unique (name) deferrable initially deferred');
  const insert = ({ database: own }: Queries, name: string) =>
    own
      .insertInto('items')
      .values({ ...newItem(), name })
      .execute();
  await insert(store, 'Ginkgo');
  for (const name of ['Ficus', 'Monstera']) {
    const broken = { name: 'ConstraintViolated', constraint: 'unique' };
    await expect(insert(store, 'Ginkgo')).rejects.toMatchObject(broken);
    await expect(store.transaction((own) => insert(own, 'Ginkgo'))).rejects.toMatchObject(broken);
    await store.transaction((own) => insert(own, name));
  }
  expect((await allRows(store, 'items')).map(({ name }) => name)).toEqual(['Ginkgo', 'Ficus', 'Monstera']);
});

test('a statement that writes is serializable, and one that reads after it on its connection is not', async () => {
  const isolation = (writes: boolean) =>
    store.run({ sql: "select current_setting('transaction_isolation') as isolation", values: [], writes });
  for (const writes of [false, true, true, false, true, false]) {
    const { rows } = await isolation(writes);
    expect(rows).toEqual([{ isolation: writes ? 'serializable' : 'read committed' }]);
  }
  // One connection is for these queries, and one for short reads.
  const connections = `from pg_stat_activity where application_name = 'item-store' and datname = '${database}'`;
  expect(await sabotage(`select ${connections}`)).toHaveLength(2);
});

describe('creates that are rejected', () => {
  test('the store rejects creates with StoreUnavailable when inserts fail for longer than an item may wait, and stores items again afterwards', async () => {
    await failInserts('40001', 1_000_000);
    await inTime(async () => {
      const item = newItem();
      const create = () => store.create('items', item);
      await sabotage('alter table items enable trigger fail');
      try {
        const duration = await timeOf(() => expect(create()).rejects.toEqual(UNAVAILABLE));
        expect(duration).toBeGreaterThan(STORE_PATIENCE_MS - 1000);
        expect(duration).toBeLessThan(STORE_PATIENCE_MS + 1000);
        // The next item must fail sooner than the first.
        expect(await timeOf(() => expect(create()).rejects.toEqual(UNAVAILABLE))).toBeLessThan(1000);
      } finally {
        await sabotage('alter table items disable trigger fail');
        expect(await create()).toBe('created');
      }
    });
  });

  test('the store rejects creates with StoreUnavailable when another session holds a lock, names the wait, and leaves no insert waiting on the server', async () => {
    await using other = await OtherSession.open(server.url(database));
    let stored = 0;
    await inTime(async () => {
      await other.run('begin; lock table items in exclusive mode');
      const outcomes: PromiseSettledResult<unknown>[] = [];
      const duration = await timeOf(async () => {
        const creations = Array.from({ length: 100 }, () => store.create('items', newItem()));
        outcomes.push(...(await Promise.allSettled(creations)));
      });
      await other.run('rollback');
      expect(await store.create('items', newItem())).toBe('created');
      stored++;
      expect(duration).toBeLessThan(STORE_PATIENCE_MS + 1000);
      expect(new Set(outcomes.map(({ status }) => status))).toEqual(new Set(['rejected']));
      // The store has 0.5 s to ask for the reason, in a connection of its own.
      const waited = /^PostgreSQL cannot do this at the moment: a query waited \d\.\d s for a lock$/;
      expect(outcomes[0]).toMatchObject({
        reason: { name: 'StoreUnavailable', message: expect.stringMatching(waited) },
      });
    });
    const waiting = "select from pg_stat_activity where state = 'active' and query like 'insert%'";
    await server.until(`select 1 where not exists (${waiting})`);
    expect(await allRows(store, 'items')).toHaveLength(stored);
  });

  test('the store rejects a query with StoreUnavailable when it takes too long, names the time, and gives the next query its full time', async () => {
    await inTime(() =>
      expect(runSql(store, 'select pg_sleep(10)')).rejects.toThrow(
        /^PostgreSQL cannot do this at the moment: a query took longer than \d\.\d s$/,
      ),
    );
    expect(await runSql(store, 'select pg_sleep(1)')).toHaveLength(1);
  });

  test('the store rejects creates with StoreUnavailable when an operator cancels each query, and quotes PostgreSQL', async () => {
    await failInserts('57014', 1_000_000);
    await expect(store.create('items', newItem())).rejects.toThrow('SQLSTATE 57014: sabotage');
  });

  test('the store rejects creates with StoreUnavailable when the server hangs, and stores items again afterwards', async () => {
    await inTime(async () => {
      await store.create('items', newItem());
      server.freeze();
      const creation = store.create('items', newItem());
      const duration = await timeOf(() => creation.catch(() => undefined));
      server.thaw();
      await expect(creation).rejects.toEqual(UNAVAILABLE);
      expect(duration).toBeGreaterThan(STORE_PATIENCE_MS - 1000);
      expect(duration).toBeLessThan(STORE_PATIENCE_MS + 1000);
      expect(await store.create('items', newItem())).toBe('created');
    });
  });

  test('the store rejects creates with StoreUnavailable when PostgreSQL no longer lets the role log in', async () => {
    await server.query('create role gardener login');
    const own = await server.createDatabase('owner gardener');
    const theirs = await openStore(LAYOUT, readPostgresLocation(server.url(own, '', 'gardener')), { create: true });
    await server.query('alter role gardener nologin');
    await server.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = 'gardener'");
    await expect(theirs.create('items', newItem())).rejects.toEqual(UNAVAILABLE);
    await server.query('alter role gardener login');
    expect(await theirs.create('items', newItem())).toBe('created');
    await theirs.close();
  });
});

test('the store rejects only the items that a constraint of the operator refuses', async () => {
  await sabotage("alter table items add constraint no_weeds check (name <> 'weed')");
  const items = Array.from({ length: 3000 }, (_, index) => ({
    ...newItem(),
    name: index % 1000 === 500 ? 'weed' : 'Ginkgo',
  }));
  using _slow = slowClock();
  const outcomes = await Promise.allSettled(items.map((item) => store.create('items', item)));
  const refused = outcomes.flatMap((outcome, index) => (outcome.status === 'rejected' ? [index] : []));
  expect(refused).toEqual([500, 1500, 2500]);
  // The service logs the message of this error, which must not contain the text of an item.
  expect(outcomes[500]).toMatchObject({
    reason: { name: 'ConstraintViolated', constraint: 'check', message: expect.not.stringContaining('weed,') },
  });
  expect(await allRows(store, 'items')).toHaveLength(2997);
});

test('the store stores an item after a constraint has refused another item with the same id', async () => {
  await sabotage("alter table items add constraint no_weeds check (name <> 'weed')");
  const { id } = newItem();
  const first = Array.from({ length: 2 }, () => store.create('items', newItem()));
  const outcomes = await Promise.allSettled(
    ['weed', 'Ginkgo', 'weed'].map((name) => store.create('items', { id, name })),
  );
  await Promise.all(first);
  expect(outcomes).toMatchObject([{ status: 'rejected' }, { value: 'created' }, { value: 'conflict' }]);
});

test('a create in a transaction replays the row that another writer stores while a trigger refuses it', async () => {
  const item = newItem();
  await sabotage(`create function refuse() returns trigger language plpgsql as $$ begin
      perform pg_advisory_xact_lock_shared(1); raise exception 'no'; end $$;
    create trigger refuse before insert on items for each row execute function refuse()`);
  await using other = await OtherSession.open(server.url(database));
  await other.run('select pg_advisory_lock(1)');
  using _slow = slowClock();
  const creating = store.transaction(({ create }) => create('items', item));
  await server.until(`select from pg_stat_activity where datname = '${database}' and wait_event = 'advisory'`);
  await other.run(`set session_replication_role = replica;
    insert into items (id, name) values (${item.id}, '${item.name}'); select pg_advisory_unlock(1)`);
  expect(await creating).toBe('replayed');
});

describe('the store', () => {
  const work = {
    create: () => store.create('items', newItem()),
    find: () => store.tokens.find(new Uint8Array(32)),
    ready: () => store.ready(),
  };

  test.each([
    ['items', ['create', 'ready']],
    ['tokens', ['find', 'ready']],
    ['schema_version', ['ready']],
  ] as const)('is unavailable while its table %s is missing', async (table, calls) => {
    for (const call of calls) await work[call]();
    await sabotage(`alter table ${table} rename to gone`);
    for (const call of calls) {
      await expect(work[call]()).rejects.toMatchObject({
        name: 'StoreUnavailable',
        message: expect.stringContaining('lacks a table of the store: make it again, or restore a backup'),
      });
    }
    await sabotage(`alter table gone rename to ${table}`);
    for (const call of calls) await work[call]();
  });

  test.each([
    ['items', 'tag', ['create', 'ready']],
    ['tokens', 'scopes', ['find', 'ready']],
  ] as const)('is unavailable while its table %s lacks the column %s', async (table, column, calls) => {
    await sabotage(`alter table ${table} rename ${column} to gone`);
    for (const call of calls) {
      await expect(work[call]()).rejects.toMatchObject({
        name: 'StoreUnavailable',
        message: expect.stringContaining('lacks a column of the store: make it again, or restore a backup'),
      });
    }
    await sabotage(`alter table ${table} rename gone to ${column}`);
    for (const call of calls) await work[call]();
  });

  test.each(['insert on items', 'select on items', 'select on tokens'])(
    'is not ready while its role lacks the right %s',
    async (right) => {
      const role = `role_${database}`;
      await sabotage(
        `create role ${role} login; grant select, insert, update on all tables in schema public to ${role}`,
      );
      const theirs = await openStore(LAYOUT, readPostgresLocation(server.url(database, '', role)), { create: false });
      await theirs.ready();
      await sabotage(`revoke ${right} from ${role}`);
      await expect(theirs.ready()).rejects.toMatchObject({
        name: 'StoreUnavailable',
        message: expect.stringContaining('grant the user the rights'),
      });
      await sabotage(`grant ${right} to ${role}`);
      await theirs.ready();
      expect(await theirs.create('items', newItem())).toBe('created');
      await theirs.close();
    },
  );

  test('leaves no dead row when it is asked whether it is ready', async () => {
    const own = await server.createDatabase();
    const open = () => openStore(LAYOUT, readPostgresLocation(server.url(own)), { create: true });
    const first = await open();
    await first.create('items', newItem());
    // PostgreSQL counts what a session did when that session ends.
    await first.close();
    const sessions = `select from pg_stat_activity where datname = '${own}' and backend_type = 'client backend'`;
    const none = `select 1 where not exists (${sessions})`;
    await server.until(none);
    // The migration has left one.
    await server.query('vacuum', own);
    const asked = await open();
    for (let times = 0; times < 50; times++) await asked.ready();
    await asked.close();
    await server.until(none);
    const tables = await server.query('select relname, n_dead_tup::int as dead from pg_stat_user_tables', own);
    expect(tables.map(({ relname }) => relname)).toEqual(expect.arrayContaining(['schema_version', 'items', 'tokens']));
    expect(tables.filter(({ dead }) => dead !== 0)).toEqual([]);
  });

  test('is not ready while a trigger makes each item fail, and leaves one dead row once the trigger is gone', async () => {
    await sabotage(`alter table items set (autovacuum_enabled = off);
      create function fill() returns trigger language plpgsql as $$ begin
        raise exception 'sabotage' using errcode = '53100'; end $$;
      create trigger fill before insert on items for each row execute function fill()`);
    await store.ready();
    await expect(work.create()).rejects.toEqual(UNAVAILABLE);
    for (let asked = 0; asked < 2; asked++) await expect(store.ready()).rejects.toEqual(UNAVAILABLE);
    await sabotage('drop trigger fill on items');
    for (let asked = 0; asked < 10; asked++) await store.ready();
    await server.until("select from pg_stat_user_tables where relname = 'items' and n_dead_tup = 1", database);
    expect(await allRows(store, 'items')).toEqual([]);
  });

  test('rejects a query for an unknown table or column, rather than reporting itself unavailable', async () => {
    // The messages of the last two name a table and a column that the store has.
    const statements = ['select 1 from itemz', 'select nope from items', 'select items.id from tokens'];
    for (const statement of [...statements, 'select tag.nope from items as tag']) {
      const asking = runSql(store, statement);
      await expect(asking).rejects.toMatchObject({ name: 'StatementRejectedError' });
    }
  });

  test('sends one statement for a batch of 1,024 items when the table is missing', async () => {
    await sabotage('alter table items rename to gone');
    using session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
    let statements = 0;
    const batch = createBatch(
      (insert) =>
        session.withRetries((query) => {
          statements++;
          return insert(query);
        }, performance.now() + STORE_PATIENCE_MS),
      ofTable(formatsOf(LAYOUT.tables, Creating), 'items'),
      Array.from({ length: 1024 }, () => itemRow(newItem())),
    );
    await expect(batch).rejects.toMatchObject({ name: 'StoreUnusable' });
    expect(statements).toBe(1);
  });
});

test('the store rejects with StoreUnavailable when transaction_timeout of the server ends a transaction', async () => {
  await sabotage(`alter database ${database} set transaction_timeout = '1s'`);
  const own = await openStore(LAYOUT, readPostgresLocation(server.url(database)), { create: false });
  const slow = own.transaction(({ database: all }) =>
    all
      .selectFrom(sql`pg_sleep(1.5)`.as('slept'))
      .selectAll()
      .execute(),
  );
  await expect(slow).rejects.toEqual(UNAVAILABLE);
  expect(await own.create('items', newItem())).toBe('created');
  await own.close();
});

test('a closed session tries nothing again, so that a question under way does not hold up the end of the service', async () => {
  const session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  const asked = Promise.withResolvers<undefined>();
  let tries = 0;
  const answer = session.withRetries(async (query) => {
    tries++;
    await query('select 1');
    asked.resolve(undefined);
    return await query('select pg_sleep(600)');
  }, performance.now() + 600_000);
  await asked.promise;
  session[Symbol.dispose]();
  await expect(answer).rejects.toMatchObject({ name: 'InterruptedError' });
  expect(tries).toBe(1);
});
