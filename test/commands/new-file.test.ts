import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { appendFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { writeNewFile } from '../../src/commands/new-file.ts';
import { formatOf } from '../../src/commands/records.ts';
import { temporaryFolder } from '../support/temporary.ts';

test('a new file is made beside what a killed process of the same id has left', async () => {
  const folder = temporaryFolder();
  const path = join(folder, 'copy.db');
  const left = `copy.db.${String(process.pid)}.part`;
  writeFileSync(join(folder, left), 'half');
  await writeNewFile(path, { mode: 0o600 }, (temporary) => appendFile(temporary, 'whole'));
  expect(readFileSync(path, 'utf8')).toBe('whole');
  expect(readdirSync(folder).toSorted()).toEqual(['copy.db', left]);
});

test.each([
  ['plants.csv', undefined, 'csv'],
  ['PLANTS.CSV', undefined, 'csv'],
  ['plants.csv.txt', undefined, 'ndjson'],
  ['plants.csv', 'ndjson', 'ndjson'],
])('the format of %s, with --format %s, is %s', (path, chosen, format) => {
  expect(formatOf(path, chosen)).toBe(format);
});
