import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from '@jest/globals';
import { buildOf } from '../../../src/instance/build.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

test('a service whose contract no package.json stands above has the version 0.0.0, and no commit', () => {
  const file = join(temporaryFolder(), 'openapi.yaml');
  writeFileSync(file, 'openapi: 3.1.0\n');
  expect(buildOf({ contract: pathToFileURL(file), steps: {} })).toMatchObject({ version: '0.0.0', commit: '' });
});
