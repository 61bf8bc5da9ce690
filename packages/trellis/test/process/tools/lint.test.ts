import { execFile } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { brokenRules } from '../../support/lint.ts';
import { ROOT } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

describe('refused code', () => {
  test.each([
    ['packages/trellis/src/config.ts', "import { x } from './index.ts';"],
    ['packages/trellis/src/config.ts', "import { x } from './commands/x.ts';"],
    ['packages/trellis/src/config.ts', "import { Pool } from 'pg';"],
    ['packages/trellis/src/index.ts', "export { x } from './commands/main.ts';"],
    ['packages/trellis/src/index.ts', "export type { X } from './http/x.ts';"],
    ['packages/trellis/src/index.ts', "export { x } from './storage/open.ts';"],
    ['packages/trellis/src/index.ts', "export { sql } from 'kysely';"],
    ['packages/trellis/src/service.ts', "import { x } from './auth/x.ts';"],
    ['packages/trellis/src/service.ts', "import type { X } from './commands/x.ts';"],
    ['packages/trellis/src/service.ts', "import type { X } from './index.ts';"],
    ['packages/contract/src/explained-error.ts', "import { run } from 'trellis';"],
    ['packages/contract/src/x.ts', "import type { X } from '../tools/x.ts';"],
    ['packages/contract/src/schema/x.ts', "import { x } from '../rules/x.ts';"],
    ['packages/contract/src/rules/x.ts', "import { x } from '../message/x.ts';"],
    ['packages/contract/src/message/x.ts', "import { x } from '../validator/x.ts';"],
    ['packages/contract/src/validator/x.ts', "import { x } from '../load.ts';"],
    ['packages/contract/src/x.ts', "import type { X } from '../service.ts';"],
    ['packages/trellis/src/http/x.ts', "import { x } from '../auth/x.ts';"],
    ['packages/trellis/src/http/x.ts', "import { sharedBy } from '../service.ts';"],
    ['packages/trellis/src/http/x.ts', "import type { X } from '../storage/open.ts';"],
    ['packages/trellis/src/http/x.ts', "import { type Tools } from 'trellis';"],
    ['packages/trellis/src/storage/x.ts', "import { x } from 'trellis-contract';"],
    ['packages/trellis/src/storage/sqlite/x.ts', "import { x } from 'trellis-contract';"],
    ['packages/trellis/src/http/x.ts', "import { x } from 'trellis-contract/tools';"],
    ['packages/contract/src/x.ts', "import { x } from 'trellis-contract/ground';"],
    ['packages/trellis/src/storage/x.ts', "import type { X } from '../service.ts';"],
    ['packages/trellis/src/storage/x.ts', "import { x } from './sqlite/x.ts';"],
    ['packages/trellis/src/http/x.ts', "import { sql } from 'kysely';"],
    ['packages/trellis/src/storage/sqlite/x.ts', "import { x } from '../postgres/x.ts';"],
    ['packages/trellis/src/storage/sqlite/x.ts', "import { x } from '../listing.ts';"],
    ['packages/trellis/src/storage/postgres/x.ts', "import { x } from '../open.ts';"],
    ['packages/trellis/src/storage/postgres/x.ts', "import type { X } from '../../http/x.ts';"],
    ['packages/trellis/src/auth/x.ts', "import type { X } from '../http/x.ts';"],
    ['packages/trellis/src/auth/x.ts', "import type { X } from '../service.ts';"],
    ['packages/trellis/src/files/x.ts', "import { x } from '../commands/x.ts';"],
    ['packages/trellis/src/files/x.ts', "import { sharedBy } from '../service.ts';"],
    ['packages/trellis/src/pages/x.ts', "import type { X } from '../storage/store.ts';"],
    ['packages/trellis/src/observability/x.ts', "import { x } from '../pages/x.ts';"],
    ['packages/trellis/src/observability/x.ts', "import { sharedBy } from '../service.ts';"],
    ['packages/trellis/src/observability/x.ts', "import { type X, x } from '../storage/open.ts';"],
    ['packages/trellis/src/commands/x.ts', "import { run } from '../index.ts';"],
    ['packages/trellis/src/instance/x.ts', "import { x } from '../commands/x.ts';"],
    ['packages/trellis/src/terminal/x.ts', "import { x } from '../instance/x.ts';"],
    ['packages/trellis/src/commands/x.ts', "import { Pool } from 'pg';"],
    ['packages/contract/src/x.ts', "import type { X } from 'express-openapi-validator/dist/x.js';"],
    ['packages/trellis/src/storage/postgres/x.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['packages/trellis/src/storage/sqlite/x.ts', "export { Pool } from 'pg';"],
    ['packages/trellis/src/storage/tables.ts', "import { x } from './postgres/x.ts';"],
    ['packages/trellis/src/files/x.ts', "import { x } from '../storage/store.ts/../open.ts';"],
    ['packages/trellis/src/files/x.ts', "import { x } from './../http/x.ts';"],
    ['packages/trellis/src/http/x.ts', "import { env } from 'node:process';"],
    ['packages/trellis/test/unit/http/x.test.ts', "import { x } from '../../support/service.ts';"],
    ['packages/trellis/test/unit/http/x.test.ts', "import { x } from '../../../src/storage/open.ts';"],
  ])('the linter refuses in %s: %s', async (file, text) => {
    expect(await brokenRules(file, text)).toEqual(['no-restricted-imports']);
  });

  test.each([
    ['packages/trellis/src/http/x.ts', "await import('pg');"],
    ['packages/trellis/src/index.ts', "await import('./commands/serve.ts');"],
    ['packages/trellis/src/index.ts', 'await import(name);'],
  ])('the linter refuses in %s, an import at run time: %s', async (file, text) => {
    expect(await brokenRules(file, text)).toEqual(['no-restricted-syntax']);
  });

  test.each(['process.env.PORT;', 'const { env } = process;'])(
    'the linter refuses, outside packages/trellis/src/environment.ts, %s',
    async (text) => {
      for (const file of ['packages/trellis/src/http/x.ts', 'src/x.ts', 'examples/x/service/x.ts'])
        expect(await brokenRules(file, text)).toEqual(['no-restricted-properties']);
    },
  );

  test.each([
    "error.message.includes('gone');",
    "message.startsWith('gone');",
    '/gone/.test(error.message);',
    "if (error.message === 'gone') throw error;",
    'if (reason !== GONE) throw error;',
  ])('the linter refuses code that reads the text of a message: %s', async (text) => {
    for (const file of ['src/commands/x.ts', 'src/http/x.ts', 'tools/x.ts', 'testing/x.ts'])
      expect(await brokenRules(`packages/trellis/${file}`, text)).toEqual(['no-restricted-syntax']);
  });

  test.each(['socket._handle;', 'const { _handle: handle } = socket;', 'class X extends Y { override _read() {} }'])(
    'the linter refuses, outside packages/trellis/src/http/node-http.ts, what Node does not document: %s',
    async (text) => {
      expect(await brokenRules('packages/trellis/src/http/x.ts', text)).toEqual(['no-restricted-syntax']);
      expect(await brokenRules('packages/trellis/src/http/node-http.ts', text)).toEqual([]);
    },
  );

  test('the linter refuses the global `process` in a command', async () => {
    expect(await brokenRules('packages/trellis/src/commands/x.ts', 'process.exitCode = 1;')).toEqual([
      'no-restricted-globals',
    ]);
  });

  test.each([
    ['values', 'import'],
    ['types', 'import type'],
  ])('the linter refuses two files that import %s from each other', async (_what, keyword) => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'a.ts'), `${keyword} { B } from './b.ts';\nexport type A = typeof B;\n`);
    writeFileSync(join(folder, 'b.ts'), `${keyword} { A } from './a.ts';\nexport type B = typeof A;\n`);
    const config = join(ROOT, '.oxlintrc.json');
    const oxlint = promisify(execFile)(join(ROOT, 'node_modules/oxlint/bin/oxlint'), ['--config', config, folder]);
    await expect(oxlint).rejects.toMatchObject({ code: 1, stdout: expect.stringContaining('import(no-cycle)') });
  });
});

test.each([
  ['packages/trellis/src/index.ts', "export { x } from './storage/tables.ts';\nawait import('./commands/main.ts');"],
  [
    'packages/trellis/src/service.ts',
    "import type { X } from './http/x.ts';\nimport type { Y } from './storage/y.ts';",
  ],
  ['packages/trellis/src/config.ts', "import { x } from './auth/x.ts';\nimport type { Y } from './service.ts';"],
  ['packages/trellis/src/config.ts', "import { x } from 'trellis-contract/ground';"],
  ['packages/trellis/src/environment.ts', 'export default process.env;'],
  ['packages/trellis/src/http/x.ts', "import type { X } from '../auth/authenticator.ts';\nimport 'express';"],
  ['packages/trellis/src/http/x.ts', "import type { Tools } from '../service.ts';"],
  ['packages/trellis/src/files/x.ts', "import type { Shared } from '../service.ts';"],
  ['packages/trellis/src/observability/x.ts', "import type { Shared } from '../service.ts';"],
  ['packages/trellis/src/storage/sqlite/x.ts', "import { x } from '../store.ts';\nimport 'node:sqlite';"],
  ['packages/trellis/src/storage/postgres/x.ts', "import { x } from '../rows.ts';\nimport 'pg';"],
  ['packages/trellis/src/http/x.ts', 'if (reason === undefined) send(error.message);'],
  ['packages/trellis/src/commands/x.ts', "import { x } from '../storage/open.ts';"],
  ['packages/trellis/src/commands/x.ts', "import { sharedBy } from '../service.ts';\nawait import('./y.ts');"],
  ['packages/contract/test/unit/x.test.ts', "import { x } from './values.ts';\nimport '../../src/x.ts';"],
])('the linter accepts in %s: %s', async (file, text) => {
  expect(await brokenRules(file, text)).toEqual([]);
});

test('no two types have the same name, but for Schema', () => {
  const names = globSync('packages/*/{src,tools,testing}/**/*.ts', { cwd: ROOT }).flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    return Array.from(text.matchAll(/^(?:export )?(?:abstract )?(?:class|interface|type) (\w+)/gm), ([, name]) => name);
  });
  expect(names.length).toBeGreaterThan(200);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual(['Schema']);
});

test('the text of a message is read in these places only, each with its reason', () => {
  const places = globSync('packages/*/{src,tools,testing}/**/*.ts', { cwd: ROOT }).flatMap((file) =>
    Array.from(
      readFileSync(join(ROOT, file), 'utf8').matchAll(/no-restricted-syntax(?: -- (.+))?/g),
      ([, reason]) => `${file.replace('packages/', '')}: ${reason ?? ''}`,
    ),
  );
  expect(places.toSorted()).toEqual([
    'contract/src/message/faults.ts: its words are told, and nothing depends on them',
    "contract/src/validator/keywords.ts: the name of Ajv's documented tag of templates of code",
    "contract/src/validator/keywords.ts: the name of Ajv's documented tag of templates of code",
    'trellis/src/files/csv.ts: told without the line, which is not that of the file',
    'trellis/src/http/node-http.ts: so nothing but this reason tells it',
    'trellis/src/observability/readiness.ts: only compared with the last one, so that a repeated line is logged once',
  ]);
});
