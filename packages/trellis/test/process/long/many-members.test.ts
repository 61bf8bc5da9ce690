import { expect, test } from '@jest/globals';
import { Project } from '../../support/project.ts';
import { trellis } from '../../support/trellis.ts';

const FOLDER = 'packages/trellis/test/services/items';
const ID = '        id:\n          description: Any 64-bit';

test('`generate` names the line of a body with more members than can be compiled, and prints none of its code', async () => {
  const project = new Project();
  const members = Array.from({ length: 5000 }, (_, index) => `        m${index}: { type: string, maxLength: 10 }\n`);
  project.edit(`${FOLDER}/openapi.yaml`, ID, members.join('') + ID);
  const { stdout, stderr } = await trellis(project.folder, 'generate', FOLDER);
  // How many can be compiled depends on the stack of the process.
  expect(stdout + stderr).toMatch(/openapi\.yaml:\d+:\d+.*: this is too large to compile: |openapi\.ts: written/);
  expect(stderr.length).toBeLessThan(2000);
});
