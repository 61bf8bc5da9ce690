import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { testWith } from '../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';

const TRELLIS = 'packages/trellis';

async function testsOf(file?: string, cwd = ROOT): Promise<string[]> {
  const args = ['scripts/t.ts', '--list', ...(file === undefined ? [] : [file])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return stdout.trim().split('\n');
}

/** A project with these files, which are empty. */
function projectOf(files: readonly string[]): string {
  const folder = temporaryFolder();
  for (const file of files) {
    mkdirSync(join(folder, dirname(file)), { recursive: true });
    writeFileSync(join(folder, file), '');
  }
  mkdirSync(join(folder, 'scripts'), { recursive: true });
  cpSync(join(ROOT, 'scripts/t.ts'), join(folder, 'scripts/t.ts'));
  return folder;
}

const [ROUTER, MIRROR] = [`${TRELLIS}/src/http/router.ts`, `${TRELLIS}/test/engine/http/router.test.ts`];
const [UNIT, OTHER] = [`${TRELLIS}/test/unit/http/deep/entity-tag.test.ts`, `${TRELLIS}/test/process/other.test.ts`];

test('npm run t of a file that the map lacks runs its mirrors in each tier, and the unit tests of its folder', async () => {
  const folder = `${TRELLIS}/test/postgres/http/router/a.test.ts`;
  const not = ['unit/http/nightly/a', 'unit/auth/b'].map((name) => `${TRELLIS}/test/${name}.test.ts`);
  const cwd = projectOf([ROUTER, MIRROR, folder, UNIT, OTHER, ...not]);
  expect((await testsOf(ROUTER, cwd)).toSorted()).toEqual([MIRROR, folder, UNIT].toSorted());
});

test('npm run t runs the tests of the map that exist, and mirrors that are newer than the map', async () => {
  const cwd = projectOf([ROUTER, MIRROR, UNIT, OTHER]);
  const map = { tests: ['test/gone.test.ts', UNIT, OTHER], sources: { [ROUTER]: '0 2' } };
  writeFileSync(join(cwd, 'scripts/t.json'), JSON.stringify(map));
  expect((await testsOf(ROUTER, cwd)).toSorted()).toEqual([MIRROR, OTHER].toSorted());
});

test('npm run t runs the nearest tests of a file that neither the map nor a name knows', async () => {
  const cwd = projectOf(['src/a.ts', 'src/b.ts', 'test/b.test.ts']);
  writeFileSync(join(cwd, 'src/b.ts'), "import './a.ts';");
  expect(await testsOf('src/a.ts', cwd)).toEqual(['test/b.test.ts']);
  expect(await testsOf('test/b.test.ts', cwd)).toEqual(['test/b.test.ts']);
});

test('the map of npm run t knows most of the sources: npm run t -- --measure renews it', () => {
  const { sources } = JSON.parse(readFileSync(join(ROOT, 'scripts/t.json'), 'utf8')) as { sources: object };
  const all = globSync(['src/**/*.ts', 'packages/*/src/**/*.ts'], { cwd: ROOT });
  const known = all.filter((file) => Object.hasOwn(sources, file));
  expect(known.length / all.length).toBeGreaterThan(0.75);
});

testWith(
  spawnSync('git', ['--version']).error && 'there is no Git',
  'npm run t without a file runs the tests of what Git says has changed',
  async () => {
    const folder = temporaryFolder();
    const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: folder });
    for (const each of ['scripts', 'src', 'test']) mkdirSync(join(folder, each));
    cpSync(join(ROOT, 'scripts/t.ts'), join(folder, 'scripts/t.ts'));
    const write = (file: string, text = '') => writeFileSync(join(folder, file), text);
    for (const name of ['changed', 'staged', 'kept', 'gone']) {
      write(`src/${name}.ts`);
      write(`test/${name}.test.ts`);
    }
    git('init', '--quiet');
    git('add', '.');
    git('-c', 'user.name=x', '-c', 'user.email=x@example.com', '-c', 'commit.gpgSign=false', 'commit', '-qm', 'x');
    for (const name of ['changed', 'staged']) write(`src/${name}.ts`, 'export {};');
    git('add', 'src/staged.ts');
    write('test/added.test.ts');
    for (const name of ['src/gone.ts', 'test/gone.test.ts']) rmSync(join(folder, name));
    const tests = ['added', 'changed', 'staged'].map((name) => `test/${name}.test.ts`);
    expect((await testsOf(undefined, folder)).toSorted()).toEqual(tests);
  },
);
