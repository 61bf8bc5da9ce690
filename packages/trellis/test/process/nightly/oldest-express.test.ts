import { execFile } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import packageJson from '../../../package.json' with { type: 'json' };
import { ROOT } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

const run = promisify(execFile);

test('the tests of HTTP pass with the oldest Express that trellis allows', async () => {
  const version = packageJson.dependencies.express.replace('^', '');
  const folder = temporaryFolder();
  const install = ['install', '--silent', '--no-save', '--ignore-scripts', '--prefix', folder, `express@${version}`];
  await run('npm', install, { cwd: folder });
  // Each process and thread of the tests resolves `express` to that one.
  const hook = join(folder, 'hook.mjs');
  const used = join(folder, 'used');
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
const oldest = ${JSON.stringify(pathToFileURL(join(folder, 'node_modules/express/index.js')).href)};
registerHooks({
  resolve(name, context, next) {
    if (name !== 'express') return next(name, context);
    writeFileSync(${JSON.stringify(used)}, '');
    return { url: oldest, shortCircuit: true };
  },
});
`,
  );
  const { TESTS: _, NODE_V8_COVERAGE: __, ...environment } = process.env;
  const args = ['test', '--', 'packages/trellis/test/engine/http'];
  const env = { ...environment, NODE_OPTIONS: `--import=${pathToFileURL(hook).href}` };
  const { stderr } = await run('npm', args, { cwd: ROOT, env, maxBuffer: Infinity });
  expect(stderr).toMatch(/^Tests: .*\b[1-9]\d{2} passed, /m);
  expect(existsSync(used)).toBe(true);
}, 1_800_000);
