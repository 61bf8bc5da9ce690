import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ERROR_NUMBERS } from '../support/app.ts';
import { ROOT } from '../support/service.ts';

// That there is no other in the code, the compiler sees to.
test('each error number of openapi.yaml is in src/: write the code that answers with it, or take it out of x-error-numbers', () => {
  const sources = globSync('src/**/*.ts', { cwd: ROOT }).map((file) => readFileSync(join(ROOT, file), 'utf8'));
  const unused = Object.keys(ERROR_NUMBERS).filter((number) => !sources.some((text) => text.includes(number)));
  expect(unused).toEqual([]);
});
