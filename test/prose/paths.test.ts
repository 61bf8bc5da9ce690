import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../packages/trellis/test/support/service.ts';

// A rule or an exclusion for a path loses its effect, and fails nowhere, once the path is gone.

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const json = (file: string) => JSON.parse(read(file).replaceAll(/^\s*\/\/.*$/gm, '')) as Record<string, unknown>;
const lines = (file: string) =>
  read(file)
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
const matches = (pattern: string) =>
  globSync(pattern.replace(/\/$/, ''), { cwd: ROOT, exclude: ['**/node_modules/**'] }).length > 0;

test.each([
  [
    '.c8rc.json',
    Object.values(json('.c8rc.json'))
      .flat()
      .filter((each) => String(each).endsWith('.ts')),
  ],
  [
    '.dockerignore',
    lines('.dockerignore')
      .filter((line) => line !== '*')
      .map((line) => line.slice(1)),
  ],
  ['.gitattributes', lines('.gitattributes').map((line) => line.replace(/ .*/, ''))],
  ['.prettierignore', lines('.prettierignore').filter((line) => line !== 'coverage/')],
  ['tsconfig.json', json('tsconfig.json')['include']],
  ['tsconfig.dev.json', json('tsconfig.dev.json')['include']],
  [
    'eslint.config.js',
    Array.from(read('eslint.config.js').matchAll(/^ {2}'(.+)': \{$|^ {2}'(.+)': \{ .*\},$/gm), ([, one, two]) =>
      join('packages/{contract,trellis}/src', one ?? two ?? ''),
    ),
  ],
  [
    'packages/trellis/test/support/sequencer.js',
    Array.from(
      read('packages/trellis/test/support/sequencer.js').matchAll(/'\/?([\w-]+\/[\w/.-]+)'/g),
      ([, part = '']) => `{test,packages/*/test}/**/${part}*`,
    ),
  ],
])('each path in %s leads to a file', (_, patterns) => {
  expect(patterns).not.toEqual([]);
  expect((patterns as readonly string[]).filter((pattern) => !matches(pattern))).toEqual([]);
});

/** Files that tests write, or whose names tests give to the linter beside a text. */
const MADE = /(?:^|\/)(?:x|first|second)(?:\.test)?\.ts$/;

test('each path that a test names leads to a file, or is one that the test makes', () => {
  const tests = globSync('{test,examples,packages}/**/*.ts', { cwd: ROOT, exclude: ['**/node_modules/**'] });
  const gone = tests.flatMap((file) =>
    // A path in a regular expression counts too: without its backslashes.
    Array.from(
      read(file)
        .replaceAll(/\\(?=[/.])/g, '')
        .matchAll(/(?<=['`/|^ ])(?:packages|examples\/bank)\/[\w./-]*\w/g),
      ([path]) => path,
    )
      .filter((path) => !MADE.test(path))
      .filter((path) =>
        ['', 'packages/contract', 'packages/trellis'].every((from) => !existsSync(join(ROOT, from, path))),
      )
      .map((path) => `${file}: ${path}`),
  );
  expect(gone).toEqual([]);
});

test('each file that a comment names is there', () => {
  const files = globSync('{src,test,scripts,examples,packages,generated}/**/*.{ts,js,cjs}', {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  const isThere = (name: string) =>
    files.some((file) => `/${file}`.endsWith(`/${name.replace(/^(?:\.{1,2}\/)+/, '')}`));
  const comments = files.flatMap((file) =>
    read(file)
      .split('\n')
      .filter((line) => /^\s*(?:\/\/|\/?\*)/.test(line))
      .map((line) => [file, line] as const),
  );
  expect(comments.length).toBeGreaterThan(1000);
  const gone = comments.flatMap(([file, line]) =>
    Array.from(line.matchAll(/(?<![\w/.-])[\w./-]*\w\.ts\b/g), ([name]) => name)
      .filter((name) => !isThere(name))
      .map((name) => `${file}: ${name}`),
  );
  expect(gone).toEqual([]);
});

test('each file that CONTRIBUTING names where it says how a contract is compiled is there', () => {
  const [, section = ''] = read('CONTRIBUTING.md').split(/^## (?=How a contract is compiled)/m);
  const [text = ''] = section.split(/^## /m);
  const files = Array.from(text.matchAll(/`((?:[\w-]+\/)*[\w-]+\.ts)`/g), ([, file = '']) => file);
  expect(files).toContain('schema/formats.ts');
  const isThere = (file: string) =>
    ['', 'src', '../trellis/src'].some((folder) => existsSync(join(ROOT, 'packages/contract', folder, file)));
  expect(files.filter((file) => !isThere(file))).toEqual([]);
});
