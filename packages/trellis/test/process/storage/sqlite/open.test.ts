import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/storage/open.ts';
import { runProcess } from '../../../support/service.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { LAYOUT } from '../../../services/items/index.ts';

const folder = temporaryFolder();
const open = (name: string, create = true) =>
  openStore(LAYOUT, { engine: 'sqlite', path: join(folder, name) }, { create });

describe('files that are no store', () => {
  const refused = (name: string, message: string) =>
    expect(open(name)).rejects.toMatchObject({ name: 'StoreUnusable', message: expect.stringContaining(message) });

  test('the store refuses, with a reason, to open a file that is not a database', async () => {
    writeFileSync(join(folder, 'notes.txt'), 'remember to water the items\n'.repeat(100));
    await refused('notes.txt', `the database ${join(folder, 'notes.txt')} is not a SQLite database`);
  });

  test('the store refuses, with a reason, to open a folder', async () => {
    mkdirSync(join(folder, 'folder.db'));
    await refused('folder.db', 'cannot be opened: check that it is a file');
  });

  test('the store refuses, with a reason, to open a database in a folder that it cannot create', async () => {
    writeFileSync(join(folder, 'file'), '');
    await refused('file/items.db', 'cannot be opened');
    symlinkSync('nowhere', join(folder, 'link'));
    await refused('link/items.db', 'is in a folder that cannot be created');
    await expect(
      openStore(LAYOUT, { engine: 'sqlite', path: '/proc/none/items.db' }, { create: true }),
    ).rejects.toThrow('the database /proc/none/items.db is in a folder that cannot be created');
  });

  test('the store refuses, with a reason, to open a database of another application, and leaves it unchanged', async () => {
    const database = new DatabaseSync(join(folder, 'other.db'));
    database.exec('create table accounts (id integer)');
    await refused('other.db', 'belongs to another application: choose another file');
    expect(database.prepare('select name from sqlite_schema').all()).toEqual([{ name: 'accounts' }]);
    database.close();
  });

  test('the store refuses, with a reason, to open a database with a newer schema', async () => {
    await (await open('newer.db')).close();
    const database = new DatabaseSync(join(folder, 'newer.db'));
    database.exec('pragma user_version = 99');
    database.close();
    await refused('newer.db', `has schema 99, but this item-store needs ${LAYOUT.version}: install a newer item-store`);
  });

  test('the store says of a database in a folder that the user may not enter why it cannot be opened, not that it is missing', async () => {
    const locked = join(folder, 'locked');
    mkdirSync(locked, { mode: 0o700 });
    const path = join(locked, 'items.db');
    await (await openStore(LAYOUT, { engine: 'sqlite', path }, { create: true })).close();
    chmodSync(folder, 0o755);
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    if (process.getuid?.() !== 0) chmodSync(locked, 0);
    const { code, stderr } = await runProcess(['token', 'list'], { DATABASE_URL: `sqlite:${path}` }, '/', nobody);
    expect([code, stderr]).toEqual([1, expect.stringContaining(`${path} cannot be reached: EACCES`)]);
    chmodSync(locked, 0o700);
  });

  test('the store refuses, with a reason, to open a database that the user may not write', async () => {
    const path = join(folder, 'readonly.db');
    await (await open('readonly.db')).close();
    chmodSync(path, 0o444);
    chmodSync(folder, 0o755);
    // Root may write every file, so under root the command runs as another user.
    const nobody = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};
    const { code, stderr } = await runProcess(['migrate'], { DATABASE_URL: `sqlite:${path}` }, '/', nobody);
    expect(stderr).toBe(
      `item-store: the database ${path} cannot be written: check the permissions of the file and of its folder\n`,
    );
    expect(code).toBe(1);
  });
});
