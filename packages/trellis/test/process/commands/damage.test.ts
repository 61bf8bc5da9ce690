import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { damageOf } from '../../../src/storage/sqlite/damaged-texts.ts';
import { LAYOUT } from '../../services/items/index.ts';
import { inWords, look, place } from '../../support/item-store.ts';

/** Changes bytes of a file on the disk, as a failing disk does. */
function damage(file: string, text: string): void {
  const bytes = readFileSync(file);
  const at = bytes.lastIndexOf(text);
  expect(at).toBeGreaterThan(0);
  writeFileSync(file, bytes.fill(0xff, at, at + text.length));
}

test('restore refuses a backup that has changed since, and warns if there is no sum to compare', async () => {
  const { folder, database, run } = await place(3);
  expect((await run('backup', 'copy.db')).code).toBe(0);
  const sumFile = join(folder, 'copy.db.sha256');
  expect(statSync(sumFile).mode & 0o777).toBe(0o600);
  execFileSync('sha256sum', ['--check', '--status', 'copy.db.sha256'], { cwd: folder });
  expect(await run('restore', 'copy.db', '--force')).toMatchObject({ code: 0, stderr: '' });

  damage(join(folder, 'copy.db'), 'item 2');
  const refused =
    'item-store: the file copy.db has changed since it was made, as copy.db.sha256 shows: restore another backup; if there is none, delete copy.db.sha256, and restore what is left\n';
  expect(await run('restore', 'copy.db', '--force')).toEqual({ code: 1, stdout: '', stderr: refused });
  expect((await run('export')).stdout).toContain('item 2');

  rmSync(sumFile);
  const { code, stdout, stderr } = await run('restore', 'copy.db', '--force');
  expect({ code, stdout }).toEqual({ code: 1, stdout: `restored ${inWords(3)} from copy.db, and checked the store\n` });
  expect(stderr).toBe(
    'warning: there is no copy.db.sha256, so that a value which has changed since the backup was not noticed\n' +
      'item-store: the restored store has rows that the disk has changed: items with id 2: name is not UTF-8: it has all others; bring these rows back from an older backup, or remove them\n',
  );
  expect(look(database)).toBe(3);
});

test('backup overwrites neither the sum of another backup nor a file of the store by its own sum', async () => {
  const { folder, database, run } = await place(3);
  writeFileSync(join(folder, 'copy.db.sha256'), 'of a backup that was deleted');
  expect((await run('backup', 'copy.db')).code).toBe(0);
  execFileSync('sha256sum', ['--check', '--status', 'copy.db.sha256'], { cwd: folder });
  expect((await run('backup', 'copy.db')).stderr).toMatch('the file copy.db exists');
  execFileSync('sha256sum', ['--check', '--status', 'copy.db.sha256'], { cwd: folder });
  const store = { DATABASE_URL: `sqlite:${join(folder, 'x.sha256')}` };
  expect((await run('--store', store.DATABASE_URL, 'migrate')).code).toBe(0);
  expect((await run('--store', store.DATABASE_URL, 'backup', 'x')).stderr).toMatch(
    'the file x.sha256 belongs to the store',
  );
  expect(look(database)).toBe(3);
});

test('backup and export name the rows whose texts are not UTF-8, and write all others', async () => {
  const { folder, database, run } = await place(3);
  {
    using rows = new DatabaseSync(database);
    // The last is a row whose text has U+FFFD itself.
    rows.exec(`update items set name = cast(x'4D6F6EE174' as text) where id = 1; update items set name = 'grün' where id = 2;
      update items set tag = cast(x'0080' as text) where id = 3; insert into items (id, name) values (4, '\uFFFD')`);
  }
  const backedUp = await run('backup', 'copy.db');
  expect(backedUp).toMatchObject({ code: 1, stdout: `backed up ${inWords(4)} to copy.db, and checked the copy\n` });
  const named = 'items with id 1: name is not UTF-8; items with id 3: tag is not UTF-8';
  expect(backedUp.stderr).toMatch(`the backup copy.db has rows that the disk has changed: ${named}: it has all others`);
  expect(look(join(folder, 'copy.db'))).toBe(4);

  const rest = '{"id":2,"name":"grün"}\n{"id":4,"name":"\uFFFD"}\n';
  const stderr =
    'item-store: the export has all rows of items but 2: id 1: name is not UTF-8; id 3: tag is not UTF-8: change their values in the store, or bring them back from a backup\n';
  expect(await run('export')).toEqual({ code: 1, stdout: rest, stderr });
  expect(await run('export', 'x.ndjson')).toMatchObject({ code: 1, stderr: expect.stringContaining(stderr) });
  expect(readFileSync(join(folder, 'x.ndjson'), 'utf8')).toBe(rest);
});

test('backup names ten of the rows that a disk has changed, and counts the others; export looks at one row at a time', async () => {
  const { database, run } = await place(25);
  using rows = new DatabaseSync(database);
  rows.exec(`update items set name = cast(x'FF' as text); insert into members
    values (cast(x'61FF' as text), 'one', 'guest', '[]', 0, 1, null), ('b', cast(x'FF' as text), 'guest', '[]', 0, 1, null)`);
  const more =
    /items with id 1: name is not UTF-8; .*items with id 10: name is not UTF-8; and 17 more: it has all others/;
  expect((await run('backup', 'copy.db')).stderr).toMatch(more);
  expect((await run('export')).stderr).toMatch(/but 25: id 1: name is not UTF-8; .*; and 15 more: /);
  const find = damageOf(LAYOUT, rows, 'members');
  // A key that is damaged finds no row, as does that of a row which was removed since it was read.
  expect(['a\uFFFD', 'b', 'c'].map((id) => find({ id }))).toEqual([['id'], ['email'], undefined]);
});
