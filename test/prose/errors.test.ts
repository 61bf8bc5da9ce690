import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ERROR_NUMBERS } from '../support.ts';
import { ROOT } from '../../packages/trellis/test/support/service.ts';

// The compiler refuses an error number in src/ that openapi.yaml lacks.
test('the sources use each number in x-error-numbers of openapi.yaml', () => {
  const sources = globSync('{src,packages/*/src}/**/*.ts', { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  const unused = Object.keys(ERROR_NUMBERS).filter((number) => !sources.some((text) => text.includes(number)));
  expect(unused).toEqual([]);
});
