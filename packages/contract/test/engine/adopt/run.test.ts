import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { parse, stringify } from 'yaml';
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

test('adopt ends all lines as the document does, and changes none of them in a second run in place', async () => {
  const { folder, read, run } = folderWith(BOOKS.replaceAll('\n', '\r\n'));
  await run();
  const first = read('openapi.yaml');
  expect(first).not.toMatch(/(?<!\r)\n/);
  await adopt(join(folder, 'openapi.yaml'), {}, folder);
  expect(read('openapi.yaml')).toBe(first);
  expect(await run()).toMatchObject({ code: 0 });
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

/** Eight members with a format and a nullable, of which one has a type that is to go, in the component Book. */
const WRONG = documentWith(
  ['components', 'schemas', 'Book', 'properties'],
  Object.fromEntries(
    Array.from({ length: 8 }, (_, index) => [
      `m${index}`,
      index === 7 ? { description: 'The last one', type: 'text' } : { type: 'string', optional: true, nullable: true },
    ]),
  ),
);

test('adopt shows the first places of edits and questions with their operations, and lists all in a file', async () => {
  const { folder, read, run } = folderWith(WRONG);
  const decisions = join(folder, 'decisions.yaml');
  const first = await run({ decisions });
  const place = String.raw`.*books\.yaml:\d+:\d+`;
  expect(first.stdout).toMatch(
    new RegExp(
      String.raw`^edit: nullable became a list of types \(7\)\n(?: {2}${place} \(post /books\)\n){5} {2}and 2 more, in .*decisions\.places\.txt\n`,
      'm',
    ),
  );
  const question = read('decisions.yaml');
  expect(question).toMatch(
    new RegExp(
      // What the service would enforce comes first.
      String.raw`^# fields: .*\n# ${place}: type must .* \(post /books\)\n(?:# ${place}: the field optional .*\n){4}# and 3 more, in .*decisions\.places\.txt\n# fields: `,
      'm',
    ),
  );
  const listed = read('decisions.places.txt');
  expect(listed.match(/^ {2}.*: (?:type must|the field optional) .*\(post \/books\)$/gm)).toHaveLength(8);
  expect(listed).toMatch(
    new RegExp(String.raw`^edit: nullable became a list of types \(7\)\n(?: {2}${place} \(post /books\)\n){7}\n`, 'm'),
  );
  writeFileSync(decisions, `${question.trimEnd()} leave-out\n`);
  expect(await run({ decisions })).toMatchObject({ code: 0 });
  expect(read('decisions.places.txt')).toMatch(/^decision: fields: .*: leave-out \(8\)\n(?: {2}.*\n){8}/m);
});

test('adopt says that --decisions lists the places that are not shown', async () => {
  const { run } = folderWith(WRONG);
  expect((await run()).stdout).toMatch(/^ {2}and 2 more: --decisions lists them\n/m);
});

test('adopt overwrites no other file by its places', async () => {
  const { folder, read, write, run } = folderWith(BOOKS);
  write('decisions.places.txt', 'Mine.\n');
  const { code, stdout } = await run({ decisions: join(folder, 'decisions.yaml') });
  expect([code, stdout]).toEqual([
    2,
    expect.stringMatching(/ exists, and adopt would list all places there: move it away/),
  ]);
  expect(read('decisions.places.txt')).toBe('Mine.\n');
});

test('adopt names three operations of a component that many use, and leaves out one that none uses', async () => {
  const operation = (id: string) => ({
    operationId: id,
    requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Tome' } } } },
    responses: { '204': { description: 'Done' }, default: { description: 'Failed' } },
  });
  const paths = Object.fromEntries(['a', 'b', 'c', 'd', 'e'].map((id) => [`/${id}`, { post: operation(id) }]));
  const schemas = {
    Tome: { type: 'object', properties: { title: { $ref: '#/components/schemas/Title' } } },
    Title: { type: 'string', format: 'title' },
    Alone: { type: 'string', format: 'alone' },
  };
  const { run } = folderWith(
    stringify({ ...(parse(BOOKS) as object), paths, components: { schemas } }).replace(/^security:\n.*\n/m, ''),
  );
  const { stdout } = await run();
  expect(stdout).toMatch(/: format title .* \(post \/a, post \/b, post \/c, 2 more\)\n/);
  expect(stdout).toMatch(/^edit: a component that nothing leads to .*\n.*:\d+:5 schemas\/Alone\n/m);
});
