import { execFile } from 'node:child_process';
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
  // Of its name, and the unit tests of its room.
  [`${TRELLIS}/src/http/router.ts`, ['engine/http/router.test.ts', 'unit/http/entity-tag.test.ts']],
  [
    `${TRELLIS}/src/storage/cursor.ts`,
    ['unit/storage/cursor.test.ts', 'unit/storage/queue.test.ts', 'unit/storage/values.test.ts'],
  ],
  // A folder of its name.
  [`${TRELLIS}/tools/generate.ts`, ['process/tools/generate.test.ts', 'unit/tools/examples.test.ts']],
])('npm run t -- %s runs its mirrors in each tier, and the unit tests of its room', async (file, tests) => {
  expect((await testsOf(file)).toSorted()).toEqual(tests.map((each) => `${TRELLIS}/test/${each}`).toSorted());
});

test('npm run t runs the nearest tests of a file that none mirrors', async () => {
  expect(await testsOf(`${TRELLIS}/src/http/incoming.ts`)).toContain(`${TRELLIS}/test/engine/http/server.test.ts`);
  expect(await testsOf('src/createPlant.ts')).toEqual(['test/createPlant.test.ts']);
  expect(await testsOf('test/version.test.ts')).toEqual(['test/version.test.ts']);
});
