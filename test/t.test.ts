import { execFile } from 'node:child_process';
import { globSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { ROOT } from '../packages/trellis/test/support/service.ts';

const TRELLIS = 'packages/trellis';

async function testsOf(file: string): Promise<string[]> {
  const args = ['scripts/t.ts', '--list', file];
  const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: ROOT });
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
