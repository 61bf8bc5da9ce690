import { expect, test } from '@jest/globals';
import { brokenRules } from '../support/lint.ts';

// Who may import the service, and what it may import. test/framework/scripts/lint.test.ts tests the other rules.

test.each([
  ['src/main.ts', "import x from '../test/x.ts';"],
  ['src/main.ts', "import { x } from './framework/index.ts';"],
  ['src/plants/x.ts', "import { x } from '../framework/index.ts';"],
  ['src/plants/x.ts', "import type { X } from '../framework/contract/x.ts';"],
  ['src/plants/x.ts', "import { x } from '../main.ts';"],
  ['src/plants/x.ts', "import { x } from '../../test/x.ts';"],
  ['src/plants/x.ts', "import type { Request } from 'express';"],
  ['src/plants/x.ts', "import { x } from './../framework/index.ts';"],
  ['src/plants/x.ts', "import { x } from '../../generated/../src/framework/index.ts';"],
  ['src/framework/config.ts', "import { x } from '../main.ts';"],
  ['src/framework/contract/x.ts', "import type { X } from '../../../generated/openapi.ts';"],
  ['src/framework/commands/x.ts', "import { x } from '../../plants/index.ts';"],
  ['src/framework/commands/x.ts', "import { x } from '../../main.ts';"],
  ['scripts/x.ts', "import { x } from '../src/plants/index.ts';"],
  ['scripts/derivation/x.ts', "import { x } from '../../src/main.ts';"],
  ['scripts/x.ts', "import type { X } from '../generated/openapi.ts';"],
  ['scripts/x.ts', "import { x } from '../test/plants/x.ts';"],
  ['test/x.ts', "import { x } from './plants/x.ts';"],
  ['test/support/x.ts', "import { x } from '../plants/x.ts';"],
  ['test/framework/x.ts', "import { x } from '../../src/plants/index.ts';"],
  ['test/framework/http/x.test.ts', "import { x } from '../../../src/main.ts';"],
  ['test/bench/x.ts', "import type { X } from '../../generated/openapi.ts';"],
])('the linter refuses in %s: %s', async (file, text) => {
  expect(await brokenRules(file, text)).toEqual(['no-restricted-imports']);
});

test.each([
  ['src/main.ts', "await import('./framework/commands/main.ts');"],
  ['src/plants/x.ts', "await import('pg');"],
])('the linter refuses in %s, an import at run time: %s', async (file, text) => {
  expect(await brokenRules(file, text)).toEqual(['no-restricted-syntax']);
});

test.each([
  ['src/main.ts', "import { run } from '#framework';\nimport { x } from './plants/index.ts';"],
  ['src/plants/x.ts', "import { int64 } from '#framework';\nimport { x } from './y.ts';"],
  ['src/plants/x.ts', "import type { X } from '../../generated/openapi.ts';\nimport { sql } from 'kysely';"],
  ['test/plants/x.ts', "import { x } from '../../src/plants/index.ts';\nimport { y } from '../../src/main.ts';"],
])('the linter accepts in %s: %s', async (file, text) => {
  expect(await brokenRules(file, text)).toEqual([]);
});
