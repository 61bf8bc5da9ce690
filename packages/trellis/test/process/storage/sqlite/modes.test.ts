import { chmodSync, mkdirSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCommand, startInstance } from '../../../support/service.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';

/** The permissions of a file, in octal. */
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const modesIn = (folder: string) =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, modeOf(join(folder, name))]));

/** Runs a command with the umask 0, so that only the command decides the permissions of its files. */
async function run(folder: string, database: string, ...args: readonly string[]): Promise<number | string | null> {
  const before = process.umask(0);
  try {
    return (await runCommand(args, { DATABASE_URL: `sqlite:${database}` }, folder)).code;
  } finally {
    process.umask(before);
  }
}

test('a service creates its store, log and folders with permissions only for the owner', async () => {
  const folder = temporaryFolder();
  const database = join(folder, 'new/data/items.db');
  expect(await run(folder, database, 'migrate')).toBe(0);
  const service = await startInstance({ DATABASE_URL: `sqlite:${database}` });
  expect([modeOf(join(folder, 'new')), modeOf(join(folder, 'new/data'))]).toEqual(['700', '700']);
  expect(modesIn(join(folder, 'new/data'))).toEqual({
    'items.db': '600',
    'items.db-shm': '600',
    'items.db-wal': '600',
    'items.db.acts.ndjson': '600',
  });
  await service.stop();
});

test('the commands create an imported store, a backup and a restored store with permissions only for the owner', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'items.ndjson'), '{"id":1,"name":"Ginkgo"}\n');
  expect(await run(folder, join(folder, 'imported.db'), 'import', 'items.ndjson')).toBe(0);
  expect(await run(folder, join(folder, 'imported.db'), 'backup', 'backup.db')).toBe(0);
  expect(await run(folder, join(folder, 'restored.db'), 'restore', 'backup.db')).toBe(0);
  expect(modesIn(folder)).toMatchObject({ 'imported.db': '600', 'backup.db': '600', 'restored.db': '600' });
});

test('an import creates its file of rejects with permissions only for the owner', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'items.ndjson'), '{"id":1}\n');
  expect(await run(folder, join(folder, 'items.db'), 'import', 'items.ndjson')).toBe(1);
  expect(await run(folder, join(folder, 'items.db'), 'import', 'items.ndjson', '--rejects', 'found')).toBe(1);
  expect(modesIn(folder)).toMatchObject({ 'items.ndjson.rejects.ndjson': '600', found: '600' });
});

test('a command keeps the permissions of folders and files that exist', async () => {
  const folder = join(temporaryFolder(), 'shared');
  mkdirSync(folder);
  chmodSync(folder, 0o750);
  const database = join(folder, 'items.db');
  await runCommand(['migrate'], { DATABASE_URL: `sqlite:${database}` });
  chmodSync(database, 0o640);
  const service = await startInstance({ DATABASE_URL: `sqlite:${database}` });
  expect(modeOf(folder)).toBe('750');
  expect(modesIn(folder)).toEqual({
    'items.db': '640',
    'items.db-shm': '640',
    'items.db-wal': '640',
    // The service made this file before the test changed the permissions of the store.
    'items.db.acts.ndjson': '600',
  });
  await service.stop();
});
