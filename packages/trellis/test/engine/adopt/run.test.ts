import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { adopt, type AdoptOptions } from '../../../tools/adopt/adopt.ts';
import { documentWith } from '../../support/adopted.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const BOOKS = documentWith(['info', 'title'], 'Books');

/** A folder with a document, and a run there. */
function folderWith(books: string) {
  const folder = temporaryFolder();
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
  };
  write('books.yaml', books);
  return { folder, read, write, run: (options?: AdoptOptions) => adopt(join(folder, 'books.yaml'), options, folder) };
}

test.each(['books.yaml', 'openapi.yaml'])('adopt refuses to write decisions into %s', async (name) => {
  const text = documentWith(['components', 'schemas', 'Book', 'properties', 'title'], { format: 'isbn' });
  const { folder, read, write, run } = folderWith(text);
  write('openapi.yaml', text);
  const { code, stdout } = await run({ decisions: join(folder, '.', name) });
  expect([code, stdout]).toEqual([
    2,
    expect.stringMatching(/^refusal: .* holds a document: name another file for --decisions\n/),
  ]);
  expect(read(name)).toBe(text);
});

test.each<[what: string, edited: (text: string) => string, why: RegExp]>([
  ['was edited', (text) => text.replace('Books', 'Our books'), / was edited since it was adopted: adopt to another /],
  [
    'has the first line of an earlier release',
    (text) => text.replace(/.*\n/, '# Adopted from books.yaml by `trellis adopt`, which writes it anew.\n'),
    / does not say whether it was edited: adopt to another /,
  ],
])('adopt overwrites a contract that %s only when it is told to', async (_, edited, why) => {
  const { folder, read, write, run } = folderWith(BOOKS);
  await run();
  const first = read('openapi.yaml');
  write('openapi.yaml', edited(first));
  expect(await run()).toEqual({ code: 2, stdout: expect.stringMatching(why) });
  expect(read('openapi.yaml')).toBe(edited(first));
  expect(await run({ output: join(folder, 'anew.yaml') })).toMatchObject({ code: 0 });
  expect([read('openapi.yaml'), read('anew.yaml')]).toEqual([edited(first), first]);
  expect(await run({ again: true })).toMatchObject({ code: 0 });
  expect(read('openapi.yaml')).toBe(first);
});

test('adopt writes a contract anew when the document has changed, and the contract has not', async () => {
  const { read, write, run } = folderWith(BOOKS);
  await run();
  write('openapi.yaml', read('openapi.yaml').replaceAll('\n', '\r\n'));
  write('books.yaml', BOOKS.replace('Books', 'Tomes'));
  expect(await run()).toMatchObject({ code: 0 });
  expect(read('openapi.yaml')).toContain('title: Tomes');
});

test('adopt overwrites no contract of another document, also when it is told to write anew', async () => {
  const { read, write, run } = folderWith(BOOKS);
  write('openapi.yaml', 'openapi: 3.1.0\n');
  expect(await run({ again: true })).toMatchObject({ code: 2 });
  expect(read('openapi.yaml')).toBe('openapi: 3.1.0\n');
});

test.each<[option: keyof AdoptOptions, path: string, what: RegExp]>([
  ['output', 'none/openapi.yaml', /^refusal: .* cannot be written: ENOENT: name a file in a folder that is there\n/],
  ['decisions', 'none/decisions.yaml', /^refusal: .* cannot be written: ENOENT: /],
  ['decisions', 'folder', /^refusal: .* cannot be read: EISDIR: name a file that you may read\n/],
])('adopt names the fault when --%s is %s', async (option, path, what) => {
  const { folder, run } = folderWith(
    option === 'output' ? BOOKS : documentWith(['components', 'schemas', 'Book'], { format: 'isbn' }),
  );
  mkdirSync(join(folder, 'folder'));
  expect(await run({ [option]: join(folder, path) })).toEqual({ code: 2, stdout: expect.stringMatching(what) });
});
