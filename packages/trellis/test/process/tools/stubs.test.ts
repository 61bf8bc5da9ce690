import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { trellis } from '../../support/trellis.ts';

const PACKAGE = join(ROOT, 'packages/trellis');
const CONTRACT = join(PACKAGE, 'test/services/parcels/openapi.yaml');

test('trellis init writes nothing from a contract that is not OpenAPI 3.1, and names the place', async () => {
  const folder = temporaryFolder();
  const yaml = readFileSync(CONTRACT, 'utf8').replace('openapi: 3.1.0', 'openapi: 3.0.3');
  writeFileSync(join(folder, 'theirs.yaml'), yaml);
  const { code, stderr } = await trellis(folder, 'init', 'parcels', '--contract', 'theirs.yaml');
  expect([code, stderr]).toEqual([1, expect.stringMatching(/^theirs\.yaml:\d+:\d+ must be OpenAPI 3\.1/)]);
  expect(existsSync(join(folder, 'parcels'))).toBe(false);
});

test('trellis init --contract takes the openapi.yaml of the folder, and no other file while that exists', async () => {
  const folder = join(temporaryFolder(), 'parcels');
  mkdirSync(folder);
  cpSync(join(PACKAGE, 'template/openapi.yaml'), join(folder, 'openapi.yaml'));
  expect(await trellis(folder, 'init', '--contract', 'other.yaml')).toEqual({
    code: 1,
    stdout: '',
    stderr: 'openapi.yaml exists: remove it, or name it by --contract\n',
  });
  expect(await trellis(folder, 'init', '--contract', 'openapi.yaml')).toMatchObject({ code: 0 });
  expect(readFileSync(join(folder, 'service/index.ts'), 'utf8')).toContain('operations: { createNote, getNote },');
});

test('trellis init names the place where the contract does not allow the errorBody that it writes', async () => {
  const folder = temporaryFolder();
  const yaml = readFileSync(CONTRACT, 'utf8');
  writeFileSync(join(folder, 'theirs.yaml'), yaml.replace('maxLength: 300', 'format: ipv4'));
  const { code, stderr } = await trellis(folder, 'init', 'parcels', '--contract', 'theirs.yaml');
  expect([code, stderr]).toEqual([0, expect.stringMatching(/^service\/errorBody\.ts is a draft: openapi\.yaml:\d+/)]);
  expect(readFileSync(join(folder, 'parcels/service/errorBody.ts'), 'utf8')).toContain('title: message,');
});
