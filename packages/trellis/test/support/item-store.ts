import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect } from '@jest/globals';
import { ITEMS, runCommand, start } from './service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

/** Makes a folder with a store, and a function that runs commands in the folder, on the store. */
export async function place(items = 0) {
  const folder = temporaryFolder();
  const database = join(folder, 'items.db');
  const environment = { DATABASE_URL: `sqlite:${database}` };
  const run = (...args: readonly string[]) => runCommand(args, environment, folder);
  await run('migrate');
  fill(database, 1, items);
  return { folder, database, environment, run };
}

/** The words of `backup` and `restore` for a store with so many items and members. */
export function inWords(items: number | string, members = 0): string {
  const rows = `${items} ${items === 1 ? 'row' : 'rows'} of items`;
  return `${rows}, 0 rows of kinds, 0 rows of notes and ${members} rows of members`;
}

/** Inserts items with consecutive ids into a store. */
export function fill(path: string, first: number, items: number, table = 'items'): void {
  using database = new DatabaseSync(path);
  const ids = database.prepare(
    'with recursive n(i) as (select cast(? as integer) union all select i + 1 from n limit ?) ' +
      `insert into ${table} (id, name, tag) select i, 'item ' || i, null from n`,
  );
  ids.run(BigInt(first), BigInt(items));
}

/** Checks the integrity of a database, and returns the number of rows of a table. */
export function look(path: string, table = 'items'): number {
  using database = new DatabaseSync(path);
  expect(database.prepare('pragma integrity_check').all()).toEqual([{ integrity_check: 'ok' }]);
  return Number(database.prepare(`select count(*) as count from ${table}`).get()?.['count']);
}

/** Makes lines of NDJSON with consecutive ids. */
export const lines = (count: number, first = 0) =>
  Array.from({ length: count }, (_, index) => `{"id":${first + index},"name":"Monstera deliciosa"}\n`).join('');

/** Starts an import that reads stdin; the test writes to that stdin. */
export function importStdin({
  folder,
  environment,
}: Pick<Awaited<ReturnType<typeof place>>, 'folder' | 'environment'>) {
  const started = start(process.execPath, [ITEMS.main, 'import', '-'], environment, folder, {}, 'pipe');
  const { stdin } = started.child;
  if (stdin === null) throw new Error('there is no stdin');
  const write = async (text: string) => {
    if (!stdin.write(text)) await new Promise((resolve) => stdin.once('drain', resolve));
  };
  return { ...started, write, end: () => stdin.end() };
}
