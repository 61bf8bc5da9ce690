import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { writeNewFile } from '../../../src/files/new-file.ts';
import { formatOf } from '../../../src/files/records.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { ITEMS, runCommand, start } from '../../support/service.ts';
import { until } from '../../support/until.ts';

test('writeNewFile succeeds when a killed process with the same pid has left its unfinished file', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'copy.db');
  const left = `copy.db.${process.pid}.part`;
  writeFileSync(join(folder, left), 'half');
  const { signal } = new AbortController();
  await writeNewFile(path, { mode: 0o600, signal }, (temporary) => appendFile(temporary, 'whole'));
  expect(readFileSync(path, 'utf8')).toBe('whole');
  expect(readdirSync(folder).toSorted()).toEqual(['copy.db', left]);
});

test.each([
  ['items.csv', undefined, 'csv'],
  ['ITEMS.CSV', undefined, 'csv'],
  ['items.csv.txt', 'csv', 'csv'],
  ['-', undefined, 'ndjson'],
  ['items.csv', 'ndjson', 'ndjson'],
])('formatOf, for the file %s and the option %s, returns %s', (path, chosen, format) => {
  expect(formatOf(path, chosen)).toBe(format);
});

test('an interrupted export reports that it wrote nothing, and leaves no file', async () => {
  const folder = temporaryFolder();
  const environment = { DATABASE_URL: `sqlite:${join(folder, 'items.db')}` };
  await runCommand(['migrate'], environment);
  const database = new DatabaseSync(join(folder, 'items.db'));
  database.exec(`insert into items (id, name)
    with recursive ids(id) as (select 1 union all select id + 1 from ids where id < 1000000) select id, 'x' from ids`);
  database.close();
  const main = ITEMS.main;
  const { child, ended, stderr } = start(process.execPath, [main, 'export', 'all.ndjson'], environment, folder);
  await until(() => readdirSync(folder).some((name) => name.endsWith('.part')));
  child.kill('SIGTERM');
  expect(await ended).toBe(143);
  expect(stderr()).toBe('item-store: interrupted: all.ndjson was not written\n');
  expect(readdirSync(folder).filter((name) => name.startsWith('all'))).toEqual([]);
});
