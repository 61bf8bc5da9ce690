import { execFileSync } from 'node:child_process';
import { expect, test } from '@jest/globals';
import { RESOURCE } from '../../../src/framework/resource.ts';
import { Project } from '../../support/project.ts';
import { run } from '../../support/readme.ts';

/** Longer than usual, because the test runs `npm run check` and other tests. */
const PATIENCE_MS = 1_800_000;

const git = ({ folder }: Project, ...args: readonly string[]) =>
  execFileSync('git', ['-c', 'user.name=test', '-c', 'user.email=', ...args], { cwd: folder, encoding: 'utf8' });

function commit(project: Project): void {
  git(project, 'add', '.');
  git(project, 'commit', '--quiet', '--allow-empty', '--message', 'test');
}

/** A copy of the project in a git repository of its own. */
function committed(): Project {
  const project = new Project();
  for (const name of ['released/stores', 'test/plants/released-stores.test.ts']) project.remove(name);
  git(project, 'init', '--quiet');
  // The copy's node_modules is a link, which the pattern in .gitignore does not match.
  project.write('.git/info/exclude', 'node_modules\n');
  commit(project);
  return project;
}

test(
  '`npm run rename` renames the project, which still passes its check and tests, and can be renamed back',
  async () => {
    const project = committed();
    // Joined from two parts, because the command would rename the whole words in this file too.
    const [one = '', many = ''] = ['y', 'ies'].map((end) => `berr${end}`);
    const renaming = await run(project, `npm run --silent rename -- ${one} --plural ${many}`);
    expect(renaming).toMatchObject({ code: 0, stderr: '' });
    // Only whole words are renamed: `planted` stays. LICENSE has the name of the authors.
    const old = `\\b(${RESOURCE.one}|${RESOURCE.many})\\b`;
    expect(git(project, 'grep', '--ignore-case', '--name-only', '--extended-regexp', old)).toBe('LICENSE\n');
    expect(await run(project, `scripts/${one}-store config`)).toMatchObject({ code: 0 });
    expect(await run(project, 'npm run --silent check')).toMatchObject({ code: 0 });
    const tests = 'files/records operations readme.test resource.test storage/sqlite.test';
    expect(await run(project, `npm test -- ${tests}`)).toMatchObject({ code: 0 });

    commit(project);
    const back = `${RESOURCE.one} --plural ${RESOURCE.many}`;
    expect(await run(project, `npm run --silent rename -- ${back}`)).toMatchObject({ code: 0 });
    expect(git(project, 'diff', '--stat', 'HEAD~1')).toBe('');
  },
  PATIENCE_MS,
);

test('`npm run rename` refuses words that it could not rename back, and uncommitted changes', async () => {
  const project = committed();
  for (const [words, reason] of [
    ['', '"" must be one lower-case word'],
    ['purchase-order', '"purchase-order" must be one lower-case word'],
    ['class', '"class" must be one lower-case word, and not a keyword of TypeScript'],
    ['sheep --plural sheep', 'singular and plural must differ'],
    ['token', 'choose another word: '],
    ['name', 'choose another word: '],
  ] as const) {
    const { code, stderr } = await run(project, `npm run --silent rename -- ${words}`);
    expect([words, code, stderr]).toEqual([words, 1, expect.stringContaining(reason)]);
  }
  expect(git(project, 'status', '--porcelain')).toBe('');
  project.write('src/framework/config.ts', '');
  const { code, stderr } = await run(project, 'npm run --silent rename -- bookshelf');
  expect([code, stderr]).toEqual([1, expect.stringContaining('git has uncommitted changes')]);
  expect(git(project, 'status', '--porcelain')).toBe(' M src/framework/config.ts\n');
});
