import { chownSync, existsSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ACTS_FILE, appendAct } from '../../../src/storage/acts.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

const NOT_ROOT = process.getuid?.() === 0 ? undefined : 'it needs root';

testWith(NOT_ROOT, 'the file of acts that root makes belongs to the user of the store', () => {
  const store = join(temporaryFolder(), 'store.db');
  writeFileSync(store, '');
  chownSync(store, 1234, 1235);
  appendAct(store, 'act');
  expect(statSync(store + ACTS_FILE)).toMatchObject({ uid: 1234, gid: 1235 });
});

test('the acts on a store, and on a link that leads to it, are in one file', () => {
  const folder = temporaryFolder();
  const store = join(folder, 'store.db');
  const link = join(temporaryFolder(), 'link.db');
  writeFileSync(store, '');
  symlinkSync(store, link);
  appendAct(store, 'one');
  appendAct(link, 'two');
  expect(readFileSync(store + ACTS_FILE, 'utf8')).toBe('one\ntwo\n');
  expect(existsSync(link + ACTS_FILE)).toBe(false);
});
