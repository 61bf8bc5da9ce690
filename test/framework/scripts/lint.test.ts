import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { brokenRules } from '../../support/lint.ts';
import { ROOT } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';

describe('the linter refuses', () => {
  test.each([
    ['src/framework/config.ts', "import { x } from './index.ts';"],
    ['src/framework/config.ts', "import { x } from './commands/x.ts';"],
    ['src/framework/config.ts', "import { Pool } from 'pg';"],
    ['src/framework/index.ts', "export { x } from './commands/main.ts';"],
    ['src/framework/index.ts', "export type { X } from './http/x.ts';"],
    ['src/framework/index.ts', "export { x } from './storage/open.ts';"],
    ['src/framework/index.ts', "export { sql } from 'kysely';"],
    ['src/framework/service.ts', "import { x } from './contract/x.ts';"],
    ['src/framework/service.ts', "import type { X } from './commands/x.ts';"],
    ['src/framework/service.ts', "import type { X } from './index.ts';"],
    ['src/framework/explained-error.ts', "import { run } from '#framework';"],
    ['src/framework/contract/x.ts', "import type { X } from '../http/x.ts';"],
    ['src/framework/contract/x.ts', "import type { X } from '../service.ts';"],
    ['src/framework/http/x.ts', "import { x } from '../auth/x.ts';"],
    ['src/framework/http/x.ts', "import { servicesOf } from '../service.ts';"],
    ['src/framework/http/x.ts', "import type { X } from '../storage/open.ts';"],
    ['src/framework/http/x.ts', "import { type Tools } from '#framework';"],
    ['src/framework/storage/x.ts', "import type { X } from '../contract/x.ts';"],
    ['src/framework/storage/x.ts', "import type { X } from '../service.ts';"],
    ['src/framework/storage/x.ts', "import { x } from './sqlite/x.ts';"],
    ['src/framework/http/x.ts', "import { sql } from 'kysely';"],
    ['src/framework/storage/sqlite/x.ts', "import { x } from '../postgres/x.ts';"],
    ['src/framework/storage/sqlite/x.ts', "import { x } from '../listing.ts';"],
    ['src/framework/storage/postgres/x.ts', "import { x } from '../open.ts';"],
    ['src/framework/storage/postgres/x.ts', "import type { X } from '../../http/x.ts';"],
    ['src/framework/auth/x.ts', "import type { X } from '../http/x.ts';"],
    ['src/framework/auth/x.ts', "import type { X } from '../service.ts';"],
    ['src/framework/files/x.ts', "import { x } from '../commands/x.ts';"],
    ['src/framework/files/x.ts', "import { servicesOf } from '../service.ts';"],
    ['src/framework/pages/x.ts', "import type { X } from '../storage/store.ts';"],
    ['src/framework/observability/x.ts', "import { x } from '../pages/x.ts';"],
    ['src/framework/observability/x.ts', "import { servicesOf } from '../service.ts';"],
    ['src/framework/observability/x.ts', "import { type X, x } from '../storage/open.ts';"],
    ['src/framework/commands/x.ts', "import { run } from '../index.ts';"],
    ['src/framework/commands/x.ts', "import { Pool } from 'pg';"],
    ['src/framework/contract/x.ts', "import type { X } from 'express-openapi-validator/dist/x.js';"],
    ['src/framework/storage/postgres/x.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['src/framework/storage/sqlite/x.ts', "export { Pool } from 'pg';"],
    ['src/framework/storage/tables.ts', "import { x } from './postgres/x.ts';"],
    ['src/framework/files/x.ts', "import { x } from '../contract/../storage/open.ts';"],
    ['src/framework/files/x.ts', "import { x } from './../http/x.ts';"],
    ['src/framework/http/x.ts', "import { env } from 'node:process';"],
    ['scripts/x.ts', "import { run } from '#framework';"],
    ['test/support/x.ts', "import { x } from '../../examples/x/service/index.ts';"],
    ['examples/x/main.ts', "import { x } from './generated/openapi.ts';"],
    ['examples/x/service/x.ts', "import { x } from '../../../src/framework/index.ts';"],
    ['examples/x/service/x.ts', "import { x } from '../../y/service/index.ts';"],
    ['examples/x/service/x.ts', "import { x } from '../test/x.ts';"],
  ])('in %s: %s', async (file, text) => {
    expect(await brokenRules(file, text)).toEqual(['no-restricted-imports']);
  });

  test.each([
    ['src/framework/http/x.ts', "await import('pg');"],
    ['src/framework/index.ts', "await import('./commands/serve.ts');"],
    ['examples/x/service/x.ts', "await import('pg');"],
    ['src/framework/index.ts', 'await import(name);'],
  ])('in %s, an import at run time: %s', async (file, text) => {
    expect(await brokenRules(file, text)).toEqual(['no-restricted-syntax']);
  });

  test.each(['process.env.PORT;', 'const { env } = process;'])(
    'outside src/framework/environment.ts: %s',
    async (text) => {
      expect(await brokenRules('src/framework/http/x.ts', text)).toEqual(['no-restricted-properties']);
    },
  );

  test('in a command, the process', async () => {
    expect(await brokenRules('src/framework/commands/x.ts', 'process.exitCode = 1;')).toEqual([
      'no-restricted-globals',
    ]);
  });

  test.each([
    ['values', 'import'],
    ['types', 'import type'],
  ])('two files that import %s from each other', async (_what, keyword) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.ts'), `${keyword} { B } from './b.ts';\nexport type A = typeof B;\n`);
    writeFileSync(join(folder, 'b.ts'), `${keyword} { A } from './a.ts';\nexport type B = typeof A;\n`);
    const config = join(ROOT, '.oxlintrc.json');
    const oxlint = promisify(execFile)(join(ROOT, 'node_modules/oxlint/bin/oxlint'), ['--config', config, folder]);
    await expect(oxlint).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('import(no-cycle)') });
  });
});

test.each([
  ['src/framework/index.ts', "export { x } from './storage/tables.ts';\nawait import('./commands/main.ts');"],
  ['src/framework/service.ts', "import type { X } from './http/x.ts';\nimport type { Y } from './storage/y.ts';"],
  ['src/framework/config.ts', "import { x } from './auth/x.ts';\nimport type { Y } from './service.ts';"],
  ['src/framework/config.ts', "import { x } from './explained-error.ts';"],
  ['src/framework/environment.ts', 'export default process.env;'],
  ['src/framework/http/x.ts', "import type { Caller } from '../auth/x.ts';\nimport 'express';"],
  ['src/framework/http/x.ts', "import type { Tools } from '../service.ts';"],
  ['src/framework/files/x.ts', "import type { Services } from '../service.ts';"],
  ['src/framework/observability/x.ts', "import type { Services } from '../service.ts';"],
  ['src/framework/storage/sqlite/x.ts', "import { x } from '../store.ts';\nimport 'node:sqlite';"],
  ['src/framework/storage/postgres/x.ts', "import { x } from '../rows.ts';\nimport 'pg';"],
  ['src/framework/commands/x.ts', "import { x } from '../storage/open.ts';"],
  ['src/framework/commands/x.ts', "import { servicesOf } from '../service.ts';\nawait import('./y.ts');"],
  ['scripts/x.ts', "import { x } from '../src/framework/contract/load.ts';"],
  ['test/framework/x.ts', "import { int64 } from '#framework';\nimport { x } from './items/index.ts';"],
  ['test/support/x.ts', "import { x } from '../../src/framework/storage/open.ts';"],
  ['examples/x/main.ts', "import { run } from '#framework';\nimport { x } from './service/index.ts';"],
  ['examples/x/service/x.ts', "import { x } from '../generated/openapi.ts';\nimport { sql } from 'kysely';"],
  [
    'examples/x/test/x.ts',
    "import { x } from '../service/index.ts';\nimport { y } from '../../../test/support/app.ts';",
  ],
])('the linter accepts in %s: %s', async (file, text) => {
  expect(await brokenRules(file, text)).toEqual([]);
});
