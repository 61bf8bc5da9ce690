import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { ESLint } from 'eslint';
import { ROOT } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';

const eslint = new ESLint({
  cwd: ROOT,
  // The rules under test need no types, which take seconds to load.
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
  ruleFilter: ({ ruleId }) => ruleId.startsWith('no-restricted-'),
});

async function brokenRules(file: string, text: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(text, { filePath: join(ROOT, file) });
  return result?.messages.map(({ ruleId }) => ruleId) ?? [];
}

describe('the linter refuses', () => {
  test.each([
    ['src/main.ts', "import x from '../test/x.ts';"],
    ['src/framework/contract/x.ts', "import type { X } from '../http/x.ts';"],
    ['src/framework/http/x.ts', "import { x } from '../auth/x.ts';"],
    ['src/framework/http/x.ts', "import type { X } from '../storage/open.ts';"],
    ['src/operations/x.ts', "import type { X } from '../http/x.ts';"],
    ['src/operations/x.ts', "import { x } from '../storage/open.ts';"],
    ['src/framework/storage/x.ts', "import type { X } from '../contract/x.ts';"],
    ['src/framework/storage/x.ts', "import { x } from './sqlite/x.ts';"],
    ['src/framework/http/x.ts', "import { sql } from 'kysely';"],
    ['src/framework/storage/sqlite/x.ts', "import { x } from '../postgres/x.ts';"],
    ['src/framework/storage/postgres/x.ts', "import type { X } from '../../http/x.ts';"],
    ['src/framework/auth/x.ts', "import type { X } from '../http/x.ts';"],
    ['src/framework/files/x.ts', "import { x } from '../commands/x.ts';"],
    ['src/framework/pages/x.ts', "import type { X } from '../storage/store.ts';"],
    ['src/framework/observability/x.ts', "import { x } from '../pages/x.ts';"],
    ['src/framework/observability/x.ts', "import { type X, x } from '../storage/open.ts';"],
    ['src/framework/commands/x.ts', "import { Pool } from 'pg';"],
    ['src/framework/contract/x.ts', "import type { X } from 'express-openapi-validator/dist/x.js';"],
    ['src/operations/x.ts', "import type { Request } from 'express';"],
    ['src/framework/storage/postgres/x.ts', "import { DatabaseSync } from 'node:sqlite';"],
    ['src/framework/storage/sqlite/x.ts', "export { Pool } from 'pg';"],
    ['src/framework/storage/tables.ts', "import { x } from './postgres/x.ts';"],
    ['src/operations/x.ts', "import { x } from '../contract/../storage/open.ts';"],
    ['src/operations/x.ts', "import { x } from './../http/x.ts';"],
    ['src/framework/http/x.ts', "import { env } from 'node:process';"],
  ])('in %s: %s', async (file, text) => {
    expect(await brokenRules(file, text)).toEqual(['no-restricted-imports']);
  });

  test('a dynamic import in src/operations/x.ts', async () => {
    expect(await brokenRules('src/operations/x.ts', "await import('pg');")).toEqual(['no-restricted-syntax']);
  });

  test.each(['process.env.PORT;', 'const { env } = process;'])('outside src/framework/environment.ts: %s', async (text) => {
    expect(await brokenRules('src/framework/commands/serve.ts', text)).toEqual(['no-restricted-properties']);
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

test('the linter accepts the imports that each folder of src needs', async () => {
  expect(await brokenRules('src/framework/http/x.ts', "import type { Caller } from '../auth/x.ts';\nimport 'express';")).toEqual(
    [],
  );
  expect(
    await brokenRules('src/framework/storage/sqlite/x.ts', "import { x } from '../store.ts';\nimport 'node:sqlite';"),
  ).toEqual([]);
  expect(await brokenRules('src/framework/commands/x.ts', "import { x } from '../storage/open.ts';")).toEqual([]);
  expect(await brokenRules('src/framework/config.ts', "import { x } from './auth/x.ts';")).toEqual([]);
  expect(await brokenRules('src/framework/environment.ts', 'export default process.env;')).toEqual([]);
});
