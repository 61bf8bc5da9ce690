import { copyFileSync, existsSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { whileRead } from '../../../../src/storage/listing.ts';
import { openStore } from '../../../../src/storage/open.ts';
import { connect } from '../../../../src/storage/sqlite/connection.ts';
import { openSqlite } from '../../../../src/storage/sqlite/engine.ts';
import { atOpening, atWork } from '../../../../src/storage/sqlite/errors.ts';
import { applicationId } from '../../../../src/storage/sqlite/migrations.ts';
import type { Engine, AnyRow } from '../../../../src/storage/engine.ts';
import { createEach, allRows, runSql } from '../../../support/app.ts';
import { inTime, slowClock } from '../../../support/in-time.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { until } from '../../../support/until.ts';
import { testEngine } from '../conformance.ts';
import { type Item, itemRow, LAYOUT } from '../../../services/items/index.ts';

const folder = temporaryFolder();
const open = (name: string, create = true) =>
  openStore(LAYOUT, { engine: 'sqlite', path: join(folder, name) }, { create });

/** An engine as a store, for its creations. */
const creating = (engine: Engine) => ({
  create: (_table: string, row: AnyRow) => engine.create(itemRow(row as Item)),
});

testEngine('SQLite', { open: () => open('conformance.db') });

describe('a SQLite database', () => {
  test('is created only with the option `create`', async () => {
    await expect(open('none.db', false)).rejects.toThrow(
      /^the database .*none\.db does not exist: check DATABASE_URL$/,
    );
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  test('of an older schema is migrated only with the option `create`', async () => {
    const path = join(folder, 'older.db');
    const hash = new Uint8Array(32);
    using database = new DatabaseSync(path);
    for (const { name, statements } of LAYOUT.steps.sqlite)
      if (name !== 'framework/tokens2') database.exec(statements.join(';'));
    database.exec(`pragma application_id = ${applicationId(LAYOUT.marker)}; pragma user_version = 1`);
    database.prepare("insert into tokens values (?, 'older', 1, 2, null)").run(hash);
    const token = { name: 'older', scopes: [], createdAt: 1, expiresAt: 2 };
    await expect(open('older.db', false)).rejects.toThrow(
      `the database ${path} has schema 1, but this item-store needs ${LAYOUT.version}: run \`migrate\` first`,
    );
    const store = await open('older.db');
    expect(await store.opened).toMatchObject({ before: 1, now: LAYOUT.version });
    expect(await store.tokens.find(hash)).toEqual(token);
    await store.close();
  });

  test('flushes each commit, and flushes earlier commits when it is opened', () => {
    const path = join(folder, 'flush.db');
    const { database } = connect(LAYOUT, path, true);
    expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    database.exec("insert into items (id, name) values (1, 'x')");
    const before = statSync(`${path}-wal`).size;
    // SQLite keeps the log while the first connection is open, so a commit of the second connection makes the log grow.
    connect(LAYOUT, path, true).database.close();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(before);
    database.close();
  });

  test('counts all items, in portions, with ids from the smallest int64 to the largest', async () => {
    const store = await open('counted.db');
    expect(await store.count('items')).toBe(0);
    await createEach(
      store,
      'items',
      [-(2n ** 63n), 2n ** 63n - 1n].map((id) => ({ id, name: 'x' })),
    );
    const ids = 'with recursive n(id) as (select 0 union all select id + 1 from n where id < 39997)';
    await runSql(store, `${ids} insert into items (id, name) select id, 'x' from n`);
    // 40,000 items fill exactly two portions.
    expect(await store.count('items')).toBe(40_000);
    await store.create('items', { id: -1n, name: 'x' });
    expect(await store.count('items')).toBe(40_001);
    await store.close();
  });

  test('rejects a list of items with an error that shows the path when the file is missing', async () => {
    const path = join(folder, 'gone.db');
    const store = await open('gone.db');
    renameSync(path, `${path}.moved`);
    const unusable = {
      name: 'StoreUnusable',
      message: expect.stringContaining(`the database ${path} cannot be opened:`),
    };
    await expect(allRows(store, 'items')).rejects.toMatchObject(unusable);
    await store.close();
  });

  test.each([
    ['.db', 'moved'],
    ['.db', 'replaced'],
    ['.db-wal', 'moved'],
    ['.db-shm', 'moved'],
  ])('is unavailable while its %s file is %s', async (end, what) => {
    const name = `lost${end}-${what}`;
    const file = join(folder, name) + end;
    const store = await open(`${name}.db`);
    const isReady = () =>
      store.ready().then(
        () => true,
        () => false,
      );
    await store.create('items', { id: 1n, name: 'x' });
    renameSync(file, `${file}.moved`);
    if (what === 'replaced') copyFileSync(`${file}.moved`, file);
    // The engine looks for the -wal and -shm files ten times a second.
    if (end !== '.db') await until(async () => !(await isReady()));
    const unavailable = {
      name: 'StoreUnavailable',
      message: `the file ${file} was moved, deleted or replaced: put it back, or stop the service and restore a backup`,
    };
    const calls = [
      () => store.create('items', { id: 2n, name: 'x' }),
      () => store.ready(),
      () => store.remove('items', 1n),
      () => store.transaction(({ database }) => database.deleteFrom('items').execute()),
    ];
    for (const call of calls) await expect(call()).rejects.toMatchObject(unavailable);
    renameSync(`${file}.moved`, file);
    if (end !== '.db') await until(isReady);
    await store.ready();
    expect(await store.create('items', { id: 3n, name: 'x' })).toBe('created');
    await store.close();
  });

  test('ends a list that its caller has stopped reading, and can then restart its log', async () => {
    const path = join(folder, 'unread.db');
    const engine = await openSqlite(LAYOUT, { engine: 'sqlite', path }, { create: true });
    await createEach(
      creating(engine),
      'items',
      Array.from({ length: 3000 }, (_, id) => ({ id: BigInt(id), name: 'x' })),
    );
    const list = whileRead(engine.portions({ sql: 'select id from items', values: [], writes: false }, 1000), 1000);
    await list.next();
    await engine.create(itemRow({ id: -1n, name: 'x' }));
    using other = new DatabaseSync(path);
    const checkpoint = () => other.prepare('pragma wal_checkpoint(restart)').get()?.['busy'];
    expect(checkpoint()).toBe(1);
    await until(() => checkpoint() === 0);
    await expect(list.next()).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: 'the list was closed, as it was not read for 1 s: start it again',
    });
    await engine.close();
  });

  test('shrinks its log to 64 MiB after the log has grown during a list of items', async () => {
    const path = join(folder, 'log.db');
    const engine = await openSqlite(LAYOUT, { engine: 'sqlite', path }, { create: true });
    let id = 0n;
    const fill = (count: number, name = 'x') =>
      createEach(
        creating(engine),
        'items',
        Array.from({ length: count }, () => ({ id: id++, name })),
      );
    await fill(1001);
    const list = engine.portions({ sql: 'select id from items', values: [], writes: false }, 1000);
    await list.next();
    const size = () => statSync(`${path}-wal`).size;
    while (size() < 70 * 1024 * 1024) await fill(50, 'x'.repeat(100_000));
    await list.return(undefined);
    // One commit makes SQLite copy the log into the database; the next commit makes it restart the log.
    for (let commits = 0; commits < 3; commits++) await fill(1);
    expect(size()).toBe(64 * 1024 * 1024);
    await engine.close();
  });

  test('stores all waiting items in one transaction', async () => {
    const path = join(folder, 'group.db');
    const store = await open('group.db');
    await Promise.all(Array.from({ length: 1000 }, (_, id) => store.create('items', { id: BigInt(id), name: 'x' })));
    // If the store used one transaction for each item, the log would grow by 4 KiB for each item.
    expect(statSync(`${path}-wal`).size).toBeLessThan(1000 * 1024);
    await store.close();
  });

  test('stores all waiting items before it closes', async () => {
    const store = await open('closing.db');
    using _slow = slowClock();
    const creations = Array.from({ length: 3000 }, (_, id) => store.create('items', { id: BigInt(id), name: 'x' }));
    await store.close();
    expect(new Set(await Promise.all(creations))).toEqual(new Set(['created']));
  });

  test('rejects items when too many wait', async () => {
    const store = await open('crowd.db');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 15_000 }, (_, id) => store.create('items', { id: BigInt(id), name: 'x' })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(1000);
    expect(refused[0]?.reason).toMatchObject({ name: 'StoreUnavailable' });
    expect(await allRows(store, 'items')).toHaveLength(15_000 - refused.length);
    await store.close();
  });

  test('is unavailable, not unusable, when the disk is full', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('create table pages (content blob); pragma max_page_count = 2');
    let error: unknown;
    try {
      database.exec('insert into pages values (zeroblob(100000))');
    } catch (thrown) {
      error = thrown;
    }
    expect(atWork(error, '')).toMatchObject({ name: 'StoreUnavailable', cause: error });
    expect(atOpening(error, 'x.db')).toMatchObject({
      message: 'the database x.db cannot be written: the disk is full',
    });
    database.close();
  });

  test('waits while another process holds the write lock, and is unavailable if it must wait too long', async () => {
    const store = await open('busy.db');
    const other = new DatabaseSync(join(folder, 'busy.db'));
    // The store waits 2 s for the lock.
    await inTime(async () => {
      other.exec('begin immediate');
      const waiting = store.create('items', { id: 1n, name: 'waits' }).catch(String);
      await sleep(300);
      other.exec('commit');
      expect(await waiting).toBe('created');
    });
    other.exec('begin immediate');
    await expect(store.create('items', { id: 2n, name: 'waits too long' })).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: 'SQLite cannot do this at the moment: database is locked',
      // The stack is from the worker thread.
      stack: expect.stringMatching(/worker\.ts/),
    });
    other.exec('rollback');
    other.close();
    expect(await store.create('items', { id: 2n, name: 'comes later' })).toBe('created');
    expect(await allRows(store, 'items')).toHaveLength(2);
    await store.close();
  });
});
