import { hash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { afterAll, describe, expect, test } from '@jest/globals';
import { createEach, runSql } from '../../../support/app.ts';
import { whileRead } from '../../../../src/storage/listing.ts';
import { layoutOf } from '../../../../src/storage/layout.ts';
import { openStore } from '../../../../src/storage/open.ts';
import { Creating, lookUpBatch } from '../../../../src/storage/postgres/batch.ts';
import { openPostgres } from '../../../../src/storage/postgres/engine.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { InterruptedError, StatementRejectedError } from '../../../../src/storage/postgres/errors.ts';
import { Session, type Query, type WithRetries } from '../../../../src/storage/postgres/session.ts';
import type { LookUp } from '../../../../src/storage/engine.ts';
import { asCaller } from '../../../../src/storage/caller.ts';
import { inTime } from '../../../support/in-time.ts';
import { hostile } from '../../../support/hostile-role.ts';
import { insist } from '../../../support/insist.ts';
import { PostgresServer } from '../../../support/postgres.ts';
import { until } from '../../../support/until.ts';
import { testEngine } from '../../../engine/storage/conformance.ts';
import { Session as OtherSession } from '../../../support/session.ts';
import { items, LAYOUT } from '../../../services/items/index.ts';

const SCHEMA = LAYOUT.version;
const FOREIGN = {
  name: 'StoreUnusable',
  message: expect.stringContaining('belongs to another application: choose another database'),
};
const server = await PostgresServer.create();
const database = await server.createDatabase();
afterAll(() => server.remove());

const open = (name = database, create = true) => openStore(LAYOUT, readPostgresLocation(server.url(name)), { create });

testEngine('PostgreSQL', { open: () => open() });

test('the store uses the password of the URL, and never PGPASSWORD', async () => {
  await server.query("create role keeper login password 'right'");
  const own = await server.createDatabase('owner keeper');
  const rules = join(server.data, 'pg_hba.conf');
  writeFileSync(rules, `host all keeper 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  server.reload();
  await server.until("select from pg_hba_file_rules where 'keeper' = any(user_name)");
  process.env['PGPASSWORD'] = 'right';
  const openAs = (user: string) => openStore(LAYOUT, readPostgresLocation(server.url(own, '', user)), { create: true });
  await (await openAs('keeper:right')).close();
  const unusable = (text: string) => ({ name: 'StoreUnusable', message: expect.stringContaining(text) });
  await expect(openAs('keeper:wrong')).rejects.toMatchObject(unusable('refuses the user or the password'));
  await expect(openAs('keeper')).rejects.toMatchObject(unusable('asks for a password: add it to DATABASE_URL'));
  delete process.env['PGPASSWORD'];
});

test('the store tells how many of its sessions are open and in use, and how many queries wait for one', async () => {
  const own = await server.createDatabase();
  const store = await open(own);
  const measured = async () => {
    const gauges = await Promise.all(store.gauges.map(async ({ name, value }) => [name, await value()] as const));
    return Object.fromEntries(gauges);
  };
  expect(await measured()).toEqual({
    waiting_writes: 0,
    connections_to_postgres: 1,
    sessions_in_use: 0,
    waiting_queries: 0,
  });
  await using other = await OtherSession.open(server.url(own));
  const statement = { sql: 'select pg_advisory_lock_shared(1)', values: [], writes: false };
  await other.run('select pg_advisory_lock(1)');
  const running = Array.from({ length: 11 }, () => store.run(statement));
  await until(async () => (await measured())['connections_to_postgres'] === 7);
  expect(await measured()).toMatchObject({ sessions_in_use: 6, waiting_queries: 5 });
  await other.run('select pg_advisory_unlock(1)');
  await Promise.all(running);
  expect(await measured()).toMatchObject({ connections_to_postgres: 7, sessions_in_use: 0, waiting_queries: 0 });
  await store.close();
  await until(async () => (await measured())['connections_to_postgres'] === 0);
});

test('the store reads JSON and lists with each digit, and takes a value that it cannot read for a fault of the query', async () => {
  const store = await open();
  const id = 9007199254740993n;
  const [row] = await runSql(
    store,
    `select json_build_array(${id}) as json, array[json_build_array(${id}), null] as jsons, array[${id}, null]::int8[] as ids,
      array[[1.5, ${id}]]::numeric[] as numbers, array[decode('00ff', 'hex')] as bytes, array[to_jsonb(${id})] as jsonbs`,
  );
  expect(row).toEqual({
    json: [id],
    jsons: [[id], null],
    ids: [id, null],
    numbers: [[1.5, id]],
    bytes: [new Uint8Array([0, 255])],
    jsonbs: [id],
  });
  const pid = async () => await runSql(store, 'select pg_backend_pid() as pid');
  const before = await pid();
  for (const value of ['NaN', 'Infinity'])
    await expect(runSql(store, `select '${value}'::numeric as value`)).rejects.toMatchObject({
      name: 'StatementRejectedError',
      message: `a numeric is ${value}, which cannot be read`,
    });
  expect(await pid()).toEqual(before);
  await store.close();
});

test('the store connects through a Unix socket', async () => {
  const url = `postgres://postgres@${encodeURIComponent(server.folder)}:${server.port}/${database}`;
  const store = await openStore(LAYOUT, readPostgresLocation(url), { create: true });
  await store.ready();
  await store.close();
});

test('the store rejects a statement with too few values, and does not retry it', async () => {
  using session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  let tries = 0;
  const work = session.withRetries((query) => {
    tries++;
    return query('select $1::text, $2::text', 'one');
  }, performance.now() + 5000);
  await expect(work).rejects.toMatchObject({
    name: 'StatementRejectedError',
    message: expect.stringContaining('SQLSTATE 08P01'),
  });
  expect(tries).toBe(1);
});

test.each([
  ['keeps', ['40001', '40P01', '53100', '53300', '55P03', '57014', '23514']],
  ['gives up', ['08006', '57P01', '58030', 'XX000', '25006']],
])('a session %s the connection after an error with SQLSTATE %j', async (verb, states) => {
  using session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  const query = (text: string) => session.query(performance.now() + 5000, text);
  for (const state of states) {
    const before = await query('select pg_backend_pid()');
    const failed = query(`do $$ begin raise exception 'sabotage' using errcode = '${state}'; end $$`);
    await expect(failed).rejects.toThrow(`SQLSTATE ${state}: sabotage`);
    const isKept = isDeepStrictEqual(await query('select pg_backend_pid()'), before);
    expect([state, isKept]).toEqual([state, verb === 'keeps']);
  }
});

test('the store reports a serialization failure, not an unreachable server, when its retries exceed the time limit', async () => {
  using session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  await session.query(performance.now() + 5000, 'select');
  const lose = "do $$ begin raise exception 'lost' using errcode = '40001'; end $$";
  const loses = session.transaction((query) => query(lose), performance.now() + 1500, false);
  await expect(loses).rejects.toThrow('SQLSTATE 40001: lost');
  let tries = 0;
  const losesTwice = session.transaction(
    (query) => query(++tries < 3 ? lose : 'select'),
    performance.now() + 5000,
    false,
  );
  await losesTwice;
  expect(tries).toBe(3);
});

test.each([
  ['has its name already', 'prepare', 'shares a connection among sessions'],
  ['is gone', 'deallocate', 'changes the connection between two statements'],
])('a session names a pooler in transaction mode, and reconnects, when its prepared statement %s', async (...row) => {
  const [, change, problem] = row;
  using session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  const text = 'select name from pg_prepared_statements where name like $1';
  const name = `store_${hash('sha256', text).slice(0, 16)}`;
  const until = performance.now() + 5000;
  const run = () => session.query(until, text, 'store%');
  if (change === 'deallocate') await run();
  await session.query(until, change === 'prepare' ? `prepare ${name} as select 'another'` : `deallocate ${name}`);
  await expect(run()).rejects.toMatchObject({
    name: 'StoreUnusable',
    message: expect.stringContaining(`${problem}: a pooler in transaction mode is not supported`),
  });
  expect((await run()).rows).toEqual([{ name }]);
});

test('a transaction sends its begin with its first statement, which has no effect where the begin fails', async () => {
  const own = await server.createDatabase();
  await (await open(own)).close();
  using session = new Session(readPostgresLocation(server.url(own)), LAYOUT.tables);
  const until = performance.now() + 60_000;
  const insert = (id: bigint) =>
    session.transaction(
      (query) => Promise.all([id, id + 1n].map((each) => query('insert into items values ($1, $2)', each, 'x'))),
      until,
      false,
    );
  const ids = async () => (await session.query(until, 'select id from items order by id')).rows.map(({ id }) => id);
  await insert(1n);
  await insert(3n);
  expect(await ids()).toEqual([1n, 2n, 3n, 4n]);
  await session.query(until, 'deallocate store_begin');
  await expect(insert(5n)).rejects.toThrow('changes the connection between two statements');
  expect(await ids()).toEqual([1n, 2n, 3n, 4n]);
  await insert(5n);
  expect(await ids()).toEqual([1n, 2n, 3n, 4n, 5n, 6n]);
});

test('a statement that waits for the begin, or for the first statement, of its transaction has no effect after the rollback', async () => {
  const own = await server.createDatabase();
  await (await open(own)).close();
  using session = new Session(readPostgresLocation(server.url(own)), LAYOUT.tables);
  await using other = await OtherSession.open(server.url(own));
  await other.run('select pg_advisory_lock(1)');
  const until = performance.now() + 60_000;
  const asked: Promise<unknown>[] = [];
  const first = (query: Query) => {
    asked.push(query('insert into items values ($1, $2)', 1n, 'x'));
    return Promise.reject(new Error('stopped'));
  };
  await expect(session.transaction(first, until, false)).rejects.toThrow('stopped');
  await expect(Promise.all(asked.splice(0))).rejects.toThrow('the transaction is over');
  const work = (query: Query) => {
    asked.push(query('select pg_advisory_xact_lock($1)', 1n), query('insert into items values ($1, $2)', 1n, 'x'));
    return Promise.reject(new Error('stopped'));
  };
  const stopped = expect(session.transaction(work, until, false)).rejects.toThrow('stopped');
  await server.until(`select from pg_stat_activity where wait_event_type = 'Lock' and datname = '${own}'`);
  await other.run('select pg_advisory_unlock(1)');
  await stopped;
  await expect(Promise.all(asked)).rejects.toThrow('the transaction is over');
  const late: Query[] = [];
  const none = (query: Query) => {
    late.push(query);
    return Promise.reject(new Error('stopped'));
  };
  await expect(session.transaction(none, until, false)).rejects.toThrow('stopped');
  await expect(late[0]?.('select 1')).rejects.toThrow('the transaction is over');
  // If the late statement had begun a transaction, this row would be lost with it: another session would not see the row.
  await session.query(until, 'insert into items values ($1, $2)', 2n, 'x');
  expect(await server.query('select id from items', own)).toEqual([{ id: '2' }]);
});

/** Asks on behalf of one caller six times, which is as much as one gets at once, and of two others. */
const askEight = <T>(ask: () => Promise<T>): Promise<T>[] =>
  Array.from({ length: 8 }, (_, index) => asCaller(`caller ${Math.max(0, index - 5)}`, ask));

test('the store runs eight queries at once, and looks up a token and the row of a key meanwhile', async () => {
  const own = await server.createDatabase();
  const store = await open(own);
  const hash = new Uint8Array(32);
  await store.tokens.add({ name: 'mine', hash, scopes: [] });
  await createEach(store, 'items', [{ id: 1n, name: 'x' }]);
  await using other = await OtherSession.open(server.url(own));
  const mine = `pg_stat_activity where application_name = 'item-store' and datname = '${own}'`;
  await inTime(async () => {
    await other.run('select pg_advisory_lock(1)');
    try {
      let done = 0;
      const ask = async () => {
        await runSql(store, 'select pg_advisory_xact_lock_shared(1)').catch(() => undefined);
        done++;
      };
      const waiting = [...askEight(ask), ...askEight(ask), ...askEight(ask)];
      const locked = `select from ${mine} and wait_event_type = 'Lock' having count(*) = 8`;
      await until(async () => done > 0 || (await server.query(locked)).length);
      expect(await store.tokens.find(hash)).toMatchObject({ name: 'mine' });
      expect(await store.get('items', { id: 1n } as never)).toMatchObject({ name: 'x' });
      // Eight for queries, one for tokens, and one for look-ups.
      expect(await server.query(`select from ${mine}`)).toHaveLength(10);
      // The store lets no query wait for longer than 5 s.
      expect(done).toBe(0);
      await other.run('select pg_advisory_unlock(1)');
      await Promise.all(waiting);
    } finally {
      await other.run('select pg_advisory_unlock_all()');
    }
  });
  await store.close();
});

test('the store answers each caller while another one has 40 queries that take long', async () => {
  const own = await server.createDatabase();
  const store = await open(own);
  await createEach(store, 'items', [{ id: 1n, name: 'x' }]);
  await using other = await OtherSession.open(server.url(own));
  await other.run('select pg_advisory_lock(1)');
  const long = asCaller('crowd', () =>
    Array.from({ length: 40 }, () => runSql(store, 'select pg_advisory_xact_lock_shared(1)').catch(() => undefined)),
  );
  const { database: queries, transaction } = store;
  const update = (name: string, { database } = store) =>
    database.updateTable('items').set({ name }).where('id', '=', 1n).execute();
  const answers = await asCaller('other', async () => [
    await update('written'),
    await queries.selectFrom('items').selectAll().execute(),
    await transaction(({ database }) => update('in a transaction', { ...store, database })),
    await store.get('items', { id: 1n } as never),
  ]);
  expect(answers).toMatchObject([[{ numUpdatedRows: 1n }], [{ name: 'written' }], [{}], { name: 'in a transaction' }]);
  await other.run('select pg_advisory_unlock(1)');
  await Promise.all(long);
  await store.close();
});

test('the store creates the rows of each caller while another one creates the keys of open transactions', async () => {
  const own = await server.createDatabase();
  const store = await open(own);
  await using other = await OtherSession.open(server.url(own));
  await other.run("begin; insert into items values (1, 'x'), (2, 'x'), (3, 'x')");
  const create = (caller: string, id: bigint) => asCaller(caller, () => store.create('items', { id, name: 'x' }));
  // Both batches, and one that begins later.
  let ended = 0;
  const holding = [1n, 2n, 3n].map(async (id) => {
    const outcome = await create('holder', id).catch(() => 'none');
    ended++;
    return outcome;
  });
  const beside = Array.from({ length: 20 }, (_, index) => create(`caller ${index}`, 100n + BigInt(index)));
  expect(new Set(await Promise.all(beside))).toEqual(new Set(['created']));
  expect(await create('caller 0', 200n)).toBe('created');
  expect(ended).toBe(0);
  await other.run('commit');
  expect(await Promise.all(holding)).toEqual(['replayed', 'replayed', 'replayed']);
  await store.close();
});

test('the store looks up waiting keys of a table in one statement, and those of another table while that one is locked', async () => {
  const own = await server.createDatabase();
  const store = await open(own);
  const ids = Array.from({ length: 100 }, (_, id) => ({ id: BigInt(id) }));
  await createEach(
    store,
    'items',
    ids.map(({ id }) => ({ id, name: 'x' })),
  );
  await using other = await OtherSession.open(server.url(own));
  const waiting = `select query from pg_stat_activity where wait_event_type = 'Lock' and datname = '${own}'`;
  await inTime(async () => {
    await other.run('begin; lock table items');
    const found = Promise.all(ids.map((key) => store.get('items', key as never)));
    // `inTime` may run this part again.
    found.catch(() => undefined);
    try {
      await server.until(waiting);
      expect(await store.get('members', { id: 'none' } as never)).toBeUndefined();
      expect(await server.query(waiting)).toHaveLength(1);
    } finally {
      await other.run('rollback');
    }
    expect(await found).toEqual(ids.map(({ id }) => ({ id, name: 'x', tag: undefined })));
  });
  await store.close();
});

test('the store repeats each of many look-ups on its own, all at once, when PostgreSQL rejects the key of one', async () => {
  using session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  const id = 9n;
  const store = await open();
  await createEach(store, 'items', [{ id, name: 'x' }]);
  let [asked, underWay, most] = [0, 0, 0];
  const counted: WithRetries = async (work) => {
    asked++;
    most = Math.max(most, ++underWay);
    try {
      return await session.withRetries(work, performance.now() + 60_000);
    } finally {
      underWay--;
    }
  };
  const lookUps = Array.from({ length: 64 }, (_, index): LookUp => ['items', index % 2 === 0 ? id : 2n ** 64n]);
  const answers = await lookUpBatch(counted, new Creating('items', items.tables.items), lookUps);
  expect(answers).toEqual(
    lookUps.map(([, key]) => (key === id ? { id, name: 'x', tag: undefined } : expect.any(StatementRejectedError))),
  );
  expect({ asked, most }).toEqual({ asked: 65, most: 64 });
  await store.close();
});

test('a store that is closed while it repeats look-ups fails each of them on its own', async () => {
  const session = new Session(readPostgresLocation(server.url(database)), LAYOUT.tables);
  let underWay = 0;
  const counted: WithRetries = async (work) => {
    underWay++;
    try {
      return await session.withRetries(work, performance.now() + 60_000);
    } catch (error) {
      // The rejection of the batch is the first.
      session[Symbol.dispose]();
      throw error;
    } finally {
      underWay--;
    }
  };
  const lookUps = Array.from({ length: 16 }, (): LookUp => ['items', 2n ** 64n]);
  const answers = await lookUpBatch(counted, new Creating('items', items.tables.items), lookUps);
  expect(answers).toEqual(lookUps.map(() => expect.any(InterruptedError)));
  expect(underWay).toBe(0);
});

test('the store ends a list of items that the caller does not read', async () => {
  const engine = await openPostgres(LAYOUT, readPostgresLocation(server.url(database)), { create: true });
  const list = whileRead(engine.portions({ sql: 'select generate_series(1, 3)', values: [], writes: false }, 1), 1000);
  const open = "select from pg_stat_activity where state = 'idle in transaction'";
  const unbounded = engine.portions({ sql: 'select generate_series(1, 3)', values: [], writes: false }, 1);
  await unbounded.next();
  expect(await server.query(open)).toHaveLength(1);
  await unbounded.return(undefined);
  await list.next();
  await server.until(`select where not exists (${open})`);
  await expect(list.next()).rejects.toThrow('the list was closed, as it was not read for 1 s');
  await engine.close();
});

test('the store rejects eight transactions that hang and a query that waits for them, and then runs queries again', async () => {
  const store = await open();
  const end = Promise.withResolvers<undefined>();
  const read = () => store.database.selectFrom('items').select('id').limit(1).execute();
  const nested = askEight(() =>
    store.transaction(async () => {
      await end.promise;
    }),
  );
  const waits = read();
  await expect(waits).rejects.toMatchObject({
    name: 'StoreUnavailable',
    message: 'the request has waited too long for the store',
  });
  for (const each of await Promise.allSettled(nested)) {
    expect(each).toMatchObject({ reason: { name: 'StoreUnavailable' } });
  }
  end.resolve(undefined);
  await read();
  await store.close();
});

describe('a database', () => {
  test('gets its tables only with the option `create`', async () => {
    const empty = await server.createDatabase();
    await expect(open(empty, false)).rejects.toThrow(
      /^PostgreSQL at 127\.0\.0\.1:\d+\/test_\w+ has no store of item-store: check DATABASE_URL$/,
    );
    const store = await open(empty);
    expect(await store.opened).toMatchObject({ before: 0, now: SCHEMA });
    await store.close();
  });

  test('is refused when its schema is newer, or is older and the option `create` is off', async () => {
    const other = await server.createDatabase();
    await (await open(other)).close();
    await server.query('update schema_version set version = 99', other);
    await expect(open(other)).rejects.toThrow(
      `has schema 99, but this item-store needs ${SCHEMA}: install a newer item-store`,
    );
    await server.query('update schema_version set version = 0', other);
    await expect(open(other, false)).rejects.toThrow(
      `has schema 0, but this item-store needs ${SCHEMA}: run \`migrate\` first`,
    );
  });

  test('of schema 1 is migrated, and its tokens have no scopes', async () => {
    const other = await server.createDatabase();
    const version = 'create table schema_version (id bigint primary key, version bigint not null)';
    const first = LAYOUT.steps.postgres.filter(({ name }) => name !== 'framework/tokens2');
    await server.query(
      [version, 'insert into schema_version values (1, 1)', ...first.flatMap(({ statements }) => statements)].join(';'),
      other,
    );
    await server.query("insert into tokens values (decode(repeat('00', 32), 'hex'), 'older', 1, 2, null)", other);
    const store = await open(other);
    expect(await store.opened).toMatchObject({ before: 1, now: SCHEMA });
    const token = { name: 'older', scopes: [], createdAt: 1, expiresAt: 2 };
    expect(await store.tokens.find(new Uint8Array(32))).toEqual(token);
    await store.close();
  });

  test('of another application is refused, and stays unchanged', async () => {
    const other = await server.createDatabase();
    await server.query('create table items (watered date)', other);
    await expect(open(other)).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining(
        'has a table that the store would make: set DATABASE_URL to a database of its own, or drop the table if an earlier store left it',
      ),
    });
    const columns = "select column_name from information_schema.columns where table_name = 'items'";
    expect(await server.query(columns, other)).toEqual([{ column_name: 'watered' }]);
  });

  test('of a service with another marker is refused', async () => {
    const other = await server.createDatabase();
    await (await open(other)).close();
    const location = readPostgresLocation(server.url(other));
    const copy = layoutOf({ ...items, marker: "it's" });
    await expect(openStore(copy, location, { create: true })).rejects.toMatchObject(FOREIGN);
  });

  test('belongs to one of two services with the same tables that open it at once, and the other adds nothing', async () => {
    const other = await server.createDatabase();
    const copy = layoutOf({
      ...items,
      marker: "it's",
      steps: { ...items.steps, more: ({ sql }) => [sql`create table more (id bigint)`] },
    });
    await using holder = await OtherSession.open(server.url(other));
    await holder.run("begin; select pg_advisory_xact_lock(x'706c6e74'::int)");
    const opening = open(other);
    await server.until("select 1 from pg_locks where locktype = 'advisory' and not granted");
    const late = openStore(copy, readPostgresLocation(server.url(other)), { create: true });
    late.catch(() => undefined);
    await server.until("select 1 from pg_locks where locktype = 'advisory' and not granted having count(*) = 2");
    await holder.run('rollback');
    const store = await opening;
    await expect(late).rejects.toMatchObject(FOREIGN);
    expect(await server.query("select to_regclass('more') as more", other)).toEqual([{ more: null }]);
    await store.ready();
    await store.close();
  });

  test('is refused when the user may not create tables in it', async () => {
    await server.query('create role visitor login');
    const other = await server.createDatabase();
    const url = server.url(other, '', 'visitor');
    await expect(openStore(LAYOUT, readPostgresLocation(url), { create: true })).rejects.toMatchObject({
      name: 'StoreUnusable',
      message: expect.stringContaining('does not let this user create and use the tables: grant the user the rights'),
    });
  });

  test('is refused with one line about search_path when search_path is empty', async () => {
    const other = await server.createDatabase();
    await (await open(other)).close();
    await server.query(`alter database ${other} set search_path = ''`);
    for (const create of [true, false]) {
      await expect(open(other, create)).rejects.toMatchObject({
        name: 'StoreUnusable',
        message: expect.stringMatching(
          /^PostgreSQL at .+ has no schema on this user's search_path: set a search_path .+$/,
        ),
      });
    }
  });

  test.each([
    ['other columns', 'create table schema_version (installed_rank int, version varchar(50))'],
    [
      'the same columns',
      'create table schema_version (id bigint not null, version bigint not null); insert into schema_version values (1, 20260101)',
    ],
    ['no row', 'create table schema_version (id bigint not null, version bigint not null)'],
  ])('is refused, and stays unchanged, when another application’s schema_version has %s', async (_name, statement) => {
    const other = await server.createDatabase();
    await server.query(statement, other);
    for (const create of [true, false]) {
      await expect(open(other, create)).rejects.toMatchObject({
        name: 'StoreUnusable',
        message: expect.stringMatching(
          /^PostgreSQL at .+ has a table schema_version that is not that of a store: restore a backup .+ of its own$/,
        ),
      });
    }
    expect(await server.query("select from pg_tables where schemaname = 'public'", other)).toHaveLength(1);
  });

  test('returns items and tokens unchanged to a role with hostile settings', async () => {
    await server.query(`create role eccentric login; ${hostile('eccentric')}`);
    const own = await server.createDatabase('owner eccentric');
    const store = await openStore(LAYOUT, readPostgresLocation(server.url(own, '', 'eccentric')), { create: true });
    const items = [
      { id: 1n, name: 'without a tag' },
      { id: 2n, name: 'null', tag: 'null' },
      { id: 3n, name: '木 é \\', tag: 'NULL' },
    ];
    for (const result of ['created', 'replayed']) {
      expect(await createEach(store, 'items', items)).toEqual(items.map(() => result));
    }
    const listed: unknown[] = [];
    for await (const portion of store.list('items')) {
      listed.push(...portion);
      await sleep(200);
    }
    expect(listed).toEqual(items);
    const token = { name: 'mine', hash: new Uint8Array([0, 92, ...new Uint8Array(30)]), scopes: [] };
    await store.tokens.add(token);
    expect(await store.database.selectFrom('tokens').select('hash').execute()).toEqual([{ hash: token.hash }]);
    const values = await runSql(
      store,
      `select 0.1::double precision + 0.2 as sum, timestamptz '2026-02-01 12:00Z' as moment,
      pg_sleep(0.1)::text as slept`,
    );
    expect(values).toEqual([{ sum: 0.1 + 0.2, moment: new Date('2026-02-01T12:00:00Z'), slept: '' }]);
    await store.close();
  });

  test('still works for an open store after the operator has changed the type of a column', async () => {
    const other = await server.createDatabase();
    const store = await open(other);
    const item = { id: 1n, name: 'Ginkgo' };
    await store.create('items', item);
    expect(await store.create('items', item)).toBe('replayed');
    await server.query('alter table items alter column name type varchar(1000)', other);
    expect(await store.create('items', item)).toBe('replayed');
    await store.close();
  });

  test('is migrated once when twenty stores open it at the same time', async () => {
    const other = await server.createDatabase();
    const stores = await Promise.all(Array.from({ length: 20 }, () => insist(() => open(other))));
    for (const store of stores) expect(await store.opened).toMatchObject({ now: SCHEMA });
    await Promise.all(stores.map((store) => store.close()));
    expect(await server.query('select version from schema_version', other)).toEqual([{ version: String(SCHEMA) }]);
  });
});
