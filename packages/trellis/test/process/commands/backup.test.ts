import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  readdirSync,
  renameSync,
  statSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { planRestore } from '../../../src/storage/sqlite/backup.ts';
import { atOpening } from '../../../src/storage/sqlite/errors.ts';
import { whileServing } from '../../support/crowd.ts';
import { fill, inWords, look, place } from '../../support/item-store.ts';
import { LAYOUT } from '../../services/items/index.ts';
import {
  createItem,
  ITEMS,
  runCommand,
  runProcess,
  start,
  startInstance,
  startService,
} from '../../support/service.ts';

const MAIN = ITEMS.main;

describe('backup and restore', () => {
  test('copy the store of a running service, and restore it once the service has stopped', async () => {
    const { folder, database, environment, run } = await place(20_000);
    const kept = (await run('token', 'create', 'kept')).stdout.trim();
    const service = { ...(await startService(environment)), token: kept };
    // In this process it would keep the clients from sending.
    const backedUp = runProcess(['backup', 'copy.db'], environment, folder);
    const times = await whileServing(service, 1_000_001, backedUp);
    const { code, stdout, stderr } = await backedUp;
    expect([code, stderr]).toEqual([0, '']);
    const [, count] = /^backed up (\d+) rows of items, .* to copy.db, and checked the copy\n$/.exec(stdout) ?? [];
    const copy = join(folder, 'copy.db');
    expect(look(copy)).toBe(Number(count));
    expect(Number(count)).toBeGreaterThanOrEqual(20_000);
    expect(Number(count)).toBeLessThanOrEqual(20_000 + times.length);
    expect(statSync(copy).mode & 0o777).toBe(0o600);
    expect(readdirSync(folder).filter((name) => name.startsWith('copy'))).toEqual(['copy.db', 'copy.db.sha256']);

    // The restore must undo these changes: a new token, a new item, and another name of item 7.
    const late = (await run('token', 'create', 'late')).stdout.trim();
    expect((await createItem({ ...service, token: late }, '{"id":-1,"name":"late"}')).status).toBe(200);
    await run('remove', '7');
    expect((await createItem(service, '{"id":7,"name":"other"}')).status).toBe(200);
    expect(await run('restore', 'copy.db', '--force')).toEqual({
      code: 1,
      stdout: '',
      stderr: `item-store: the database ${database} is open in another process: stop the service and every other program that uses it, then restore\n`,
    });
    expect((await createItem(service, '{"id":8,"name":"item 8"}')).headers.get('idempotent-replayed')).toBe('true');
    await service.stop();
    expect((await run('restore', 'copy.db')).stderr).toMatch(
      /^item-store: the store has \d+ rows of items, .* rows of members, which the restore would delete: back the store up, then restore with --force\n$/,
    );
    expect(await run('restore', 'copy.db', '--force')).toEqual({
      code: 0,
      stdout: `restored ${inWords(String(count))} from copy.db, and checked the store\n`,
      stderr: '',
    });
    expect(look(database)).toBe(Number(count));
    const again = { ...(await startInstance(environment)), token: kept };
    const replayed = await createItem(again, '{"id":7,"name":"item 7"}');
    expect([replayed.status, replayed.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    const anew = await createItem(again, '{"id":-1,"name":"late"}');
    expect([anew.status, anew.headers.get('idempotent-replayed')]).toEqual([200, null]);
    expect((await createItem({ ...again, token: late }, '{"id":-1,"name":"late"}')).status).toBe(401);
    await again.stop();
  });

  test('create a new store if none exists, with exact ids', async () => {
    const { folder, run } = await place();
    writeFileSync(join(folder, 'p.ndjson'), '{"id":9007199254740993,"name":"x","tag":""}\n');
    await run('import', 'p.ndjson');
    expect((await run('backup', 'copy.db')).stdout).toBe(`backed up ${inWords(1)} to copy.db, and checked the copy\n`);
    const elsewhere = { DATABASE_URL: `sqlite:${join(folder, 'new/folder/items.db')}` };
    expect((await runCommand(['restore', 'copy.db'], elsewhere, folder)).code).toBe(0);
    expect((await runCommand(['export'], elsewhere, folder)).stdout).toBe(
      '{"id":9007199254740993,"name":"x","tag":""}\n',
    );
  });

  test('take a file by its name, also one that looks like a URI of SQLite', async () => {
    const { folder, run } = await place(3);
    expect(await run('backup', 'file:copy.db')).toMatchObject({ code: 0, stderr: '' });
    expect(
      readdirSync(folder)
        .filter((name) => name.includes('copy'))
        .toSorted(),
    ).toEqual(['file:copy.db', 'file:copy.db.sha256']);
    expect(look(join(folder, 'file:copy.db'))).toBe(3);
    expect(await run('restore', 'file:copy.db', '--force')).toMatchObject({ code: 0, stderr: '' });
  });

  test('lose no item when they are killed, whichever file they have just made, renamed or removed', async () => {
    const { folder, database, environment, run } = await place(20_000);
    await run('backup', 'copy.db');
    fill(database, 20_001, 1000);
    /** Kills a command at its nth change of a file. @returns how many there were */
    const killAt = async (nth: number, ...args: readonly string[]) => {
      let changes = 0;
      const { child, ended } = start(process.execPath, [MAIN, ...args], environment, folder);
      const { promise: told, resolve: tell } = Promise.withResolvers<undefined>();
      const watcher = watch(folder, (kind, name) => {
        if (name === 'last') tell(undefined);
        else if (kind === 'rename' && ++changes === nth) child.kill('SIGKILL');
      });
      await ended;
      // The changes are told in their order, and on a busy machine late.
      writeFileSync(join(folder, 'last'), '');
      await told;
      watcher.close();
      return changes;
    };
    let nth = 0;
    while ((await killAt(++nth, 'backup', `copy-${nth}.db`)) >= nth) {
      if (existsSync(join(folder, `copy-${nth}.db`))) expect(look(join(folder, `copy-${nth}.db`))).toBe(21_000);
      expect(look(database)).toBe(21_000);
    }
    expect(nth).toBeGreaterThan(5);
    nth = 0;
    while ((await killAt(++nth, 'restore', 'copy.db', '--force')) >= nth) {
      const left = look(database);
      expect([20_000, 21_000]).toContain(left);
      if (left === 20_000) fill(database, 20_001, 1000);
    }
    expect(nth).toBeGreaterThan(8);
  });

  test('never apply the log of a killed service to the restored store', async () => {
    const { folder, database, environment, run } = await place(3);
    await run('backup', 'copy.db');
    const service = await startService(environment);
    expect((await createItem(service, '{"id":-1,"name":"in the log"}')).status).toBe(200);
    service.child.kill('SIGKILL');
    await service.ended;
    expect(statSync(`${database}-wal`).size).toBeGreaterThan(0);
    expect((await run('restore', 'copy.db', '--force')).code).toBe(0);
    expect(existsSync(`${database}-wal`)).toBe(false);
    expect(look(database)).toBe(3);

    // A log without its store: SQLite would delete it together with its items.
    const killed = await startService(environment);
    expect((await createItem(killed, '{"id":-1,"name":"in the log"}')).status).toBe(200);
    killed.child.kill('SIGKILL');
    await killed.ended;
    renameSync(database, join(folder, 'moved.db'));
    for (const args of [['restore', 'copy.db'], ['migrate']]) {
      const { code, stderr } = await run(...args);
      expect([code, stderr]).toEqual([
        1,
        `item-store: the database ${database} is missing, but its log ${database}-wal is there: put both into one folder\n`,
      ]);
    }
    renameSync(join(folder, 'moved.db'), database);
    expect(look(database)).toBe(4);
  });

  test('refuse the old store to a process that opened it before the restore, and leave no file of the old store', async () => {
    const { folder, database, run } = await place(3);
    await run('backup', 'copy.db');
    let late: DatabaseSync | undefined;
    const { prepare, place: replace } = planRestore(LAYOUT, database, join(folder, 'copy.db'), (count) => {
      expect(count()).toMatchObject({ items: 4 });
      late = new DatabaseSync(database);
      expect(() => late?.prepare('select id from items').all()).toThrow('database is locked');
    });
    fill(database, 4, 1);
    prepare(join(folder, 'new.db'));
    replace(join(folder, 'new.db'));
    try {
      late?.exec('pragma journal_mode = wal');
      expect(late).toBeUndefined();
    } catch (error) {
      expect(atOpening(error, database).message).toBe(
        `the database ${database} was replaced while it was opened: try again`,
      );
    }
    late?.close();
    expect(readdirSync(folder).toSorted()).toEqual(['copy.db', 'copy.db.sha256', 'items.db', 'items.db.acts.ndjson']);
    expect(look(database)).toBe(3);
  });

  test('keep the owner and the permissions of the store, and the link that leads to it', async () => {
    const { folder, database, run } = await place(3);
    await run('backup', 'copy.db');
    const disk = join(folder, 'disk.db');
    renameSync(database, disk);
    symlinkSync(disk, database);
    chmodSync(disk, 0o640);
    if (process.getuid?.() === 0) chownSync(disk, 65534, 65534);
    const { uid, gid, mode } = statSync(disk);
    expect((await run('restore', 'copy.db', '--force')).code).toBe(0);
    expect(statSync(disk)).toMatchObject({ uid, gid, mode });
    expect(lstatSync(database).isSymbolicLink()).toBe(true);
    expect(look(database)).toBe(3);
  });
});
