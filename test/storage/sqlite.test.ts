import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { openStore } from '../../src/storage/open.ts';
import { connect } from '../../src/storage/sqlite/connection.ts';
import { atOpening, atWork } from '../../src/storage/sqlite/errors.ts';
import { APPLICATION_ID, MIGRATIONS } from '../../src/storage/sqlite/migrations.ts';
import { allPlants } from '../support/app.ts';
import { plantStore } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { testEngine } from './conformance.ts';

const folder = temporaryFolder();
const open = (name: string, create = true) => openStore({ engine: 'sqlite', path: join(folder, name) }, { create });

testEngine('SQLite', { open: () => open('conformance.db') });

describe('a SQLite database', () => {
  test('gets the folders that it lies in', async () => {
    const store = await open('new/folder/plants.db');
    expect(store.schema).toEqual({ before: 0, now: MIGRATIONS.length });
    await store.close();
    expect(existsSync(join(folder, 'new/folder/plants.db'))).toBe(true);
  });

  test('is made only where that is wanted', async () => {
    await expect(open('none.db', false)).rejects.toThrow(/^there is no database .*none\.db$/);
    expect(existsSync(join(folder, 'none.db'))).toBe(false);
  });

  test('of an older schema is brought up to date where that is wanted, and not in passing', async () => {
    const path = join(folder, 'older.db');
    const database = new DatabaseSync(path);
    database.exec(`pragma application_id = ${String(APPLICATION_ID)}; pragma user_version = 0`);
    database.close();
    await expect(open('older.db', false)).rejects.toThrow(
      `the database ${path} has schema 0, an older one: run \`migrate\` first`,
    );
    const store = await open('older.db');
    expect(store.schema).toEqual({ before: 0, now: MIGRATIONS.length });
    await store.close();
  });

  test('flushes each commit, and all that can be seen before it serves', () => {
    const path = join(folder, 'flush.db');
    const { database } = connect(path, true);
    expect(database.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    database.exec("insert into plants (id, name) values (1, 'x')");
    const before = statSync(`${path}-wal`).size;
    // Another connection keeps the log alive, as a reader would. The commit that flushes it is seen by its size.
    connect(path, true).database.close();
    expect(statSync(`${path}-wal`).size).toBeGreaterThan(before);
    database.close();
  });

  test('takes what waits in one transaction', async () => {
    const path = join(folder, 'group.db');
    const store = await open('group.db');
    await Promise.all(Array.from({ length: 1000 }, (_, id) => store.plants.create({ id: BigInt(id), name: 'x' })));
    // A transaction a plant would write a page of 4 KiB each.
    expect(statSync(`${path}-wal`).size).toBeLessThan(1000 * 1024);
    await store.close();
  });

  test('finishes what waits before it closes', async () => {
    const store = await open('closing.db');
    const creations = Array.from({ length: 3000 }, (_, id) => store.plants.create({ id: BigInt(id), name: 'x' }));
    await store.close();
    expect(new Set(await Promise.all(creations))).toEqual(new Set(['created']));
  });

  test('turns away what is too much to wait', async () => {
    const store = await open('crowd.db');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 15_000 }, (_, id) => store.plants.create({ id: BigInt(id), name: 'x' })),
    );
    const refused = outcomes.filter((outcome) => outcome.status === 'rejected');
    expect(refused.length).toBeGreaterThan(1000);
    expect(refused[0]?.reason).toMatchObject({ name: 'StoreUnavailable' });
    expect(await allPlants(store)).toHaveLength(15_000 - refused.length);
    await store.close();
  });

  test('that is full is unavailable, not broken', () => {
    const database = new DatabaseSync(':memory:');
    database.exec('create table pages (content blob); pragma max_page_count = 2');
    let error: unknown;
    try {
      database.exec('insert into pages values (zeroblob(100000))');
    } catch (thrown) {
      error = thrown;
    }
    expect(atWork(error)).toMatchObject({ name: 'StoreUnavailable', cause: error });
    expect(atOpening(error, 'x.db')).toMatchObject({
      message: 'the database x.db cannot be written: the disk is full',
    });
    database.close();
  });

  test('is in WAL mode', async () => {
    const store = await open('wal.db');
    const database = new DatabaseSync(join(folder, 'wal.db'));
    expect(database.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    database.close();
    await store.close();
  });

  test('waits for another process that writes, and is unavailable if that takes too long', async () => {
    const store = await open('busy.db');
    const other = new DatabaseSync(join(folder, 'busy.db'));
    other.exec('begin immediate');
    const waiting = store.plants.create({ id: 1n, name: 'waits' });
    setTimeout(() => {
      other.exec('commit');
    }, 300);
    expect(await waiting).toBe('created');
    other.exec('begin immediate');
    await expect(store.plants.create({ id: 2n, name: 'waits too long' })).rejects.toMatchObject({
      name: 'StoreUnavailable',
    });
    other.exec('rollback');
    other.close();
    expect(await store.plants.create({ id: 2n, name: 'comes later' })).toBe('created');
    expect(await allPlants(store)).toHaveLength(2);
    await store.close();
  });
});

describe('what cannot be opened says why:', () => {
  const refused = (name: string) =>
    open(name).then(
      () => {
        throw new Error('opened');
      },
      (error: unknown) => error,
    );

  test('a file that is no database', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'remember to water the plants\n'.repeat(100));
    expect(await refused('notes.txt')).toMatchObject({
      name: 'StoreUnusable',
      message: `the database ${join(folder, 'notes.txt')} is not a SQLite database`,
    });
  });

  test('a folder', async () => {
    mkdirSync(join(folder, 'folder.db'));
    expect(await refused('folder.db')).toMatchObject({
      message: expect.stringContaining('cannot be opened: check that it is a file'),
    });
  });

  test('a folder that cannot be made', async () => {
    writeFileSync(join(folder, 'file'), '');
    expect(await refused('file/plants.db')).toMatchObject({ name: 'StoreUnusable' });
    await expect(openStore({ engine: 'sqlite', path: '/proc/none/plants.db' }, { create: true })).rejects.toThrow(
      'the folder of the database /proc/none/plants.db cannot be made',
    );
  });

  test('a database of another application, which stays as it is', async () => {
    const database = new DatabaseSync(join(folder, 'other.db'));
    database.exec('create table accounts (id integer)');
    expect(await refused('other.db')).toMatchObject({
      message: expect.stringContaining('belongs to another application'),
    });
    expect(database.prepare('select name from sqlite_schema').all()).toEqual([{ name: 'accounts' }]);
    database.close();
  });

  test('a schema of a newer version', async () => {
    await (await open('newer.db')).close();
    const database = new DatabaseSync(join(folder, 'newer.db'));
    database.exec('pragma user_version = 99');
    database.close();
    expect(await refused('newer.db')).toMatchObject({
      message: expect.stringContaining(
        `has schema 99, of a newer plant-store; this one knows ${String(MIGRATIONS.length)}`,
      ),
    });
  });

  test('a file that this user may not write', async () => {
    const path = join(folder, 'readonly.db');
    await (await open('readonly.db')).close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    // Root may write everything: the command runs as somebody else then.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { code, stderr } = await plantStore(['migrate'], { DATABASE_URL: `sqlite:${path}` }, '/', nobody);
    expect(stderr).toBe(
      `plant-store: the database ${path} cannot be written: check the permissions of the file and of its folder\n`,
    );
    expect(code).toBe(1);
  });
});
