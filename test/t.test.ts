import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, globSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { testWith } from '../packages/trellis/test/support/skipping.ts';
import { temporaryFolder } from '../packages/trellis/test/support/temporary.ts';

const TRELLIS = 'packages/trellis';

async function testsOf(file?: string, cwd = ROOT): Promise<string[]> {
  const args = ['scripts/t.ts', '--list', ...(file === undefined ? [] : [file])];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd });
  return stdout.trim().split('\n');
}

test.each([
  // The tests of its name, and the unit tests of its folder.
  [`${TRELLIS}/src/http/router.ts`, 'http', ['engine/http/router.test.ts']],
  [`${TRELLIS}/src/storage/cursor.ts`, 'storage', ['unit/storage/cursor.test.ts']],
  // A folder of its name.
  [`${TRELLIS}/tools/generate.ts`, 'tools', ['process/tools/generate.test.ts']],
])('npm run t -- %s runs its mirrors in each tier, and the unit tests of %s', async (file, folder, mirrors) => {
  const unit = globSync(`unit/${folder}/**/*.test.ts`, { cwd: join(ROOT, TRELLIS, 'test') });
  const tests = new Set([...mirrors, ...unit.filter((each) => !each.includes('/nightly/'))]);
  expect((await testsOf(file)).toSorted()).toEqual([...tests].map((each) => `${TRELLIS}/test/${each}`).toSorted());
});

test('npm run t runs the nearest tests of a file that none mirrors', async () => {
  expect(await testsOf(`${TRELLIS}/src/http/context.ts`)).toContain(`${TRELLIS}/test/engine/http/server.test.ts`);
  expect(await testsOf('src/createPlant.ts')).toEqual(['test/createPlant.test.ts']);
  expect(await testsOf('test/version.test.ts')).toEqual(['test/version.test.ts']);
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
