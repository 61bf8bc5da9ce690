import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ROOT, start } from '../support/service.ts';
import { atEnd } from '../support/temporary.ts';

const PACKAGE = join(ROOT, 'packages/trellis');

/** Where `trellis` is found as in a service: beneath the node_modules of this repository. */
function folderOf(service: string): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache/examples-'));
  atEnd(() => {
    rmSync(folder, { recursive: true });
  });
  for (const each of ['openapi.yaml', 'generated', 'service'])
    cpSync(join(ROOT, service, each), join(folder, each), { recursive: true });
  return folder;
}

const examplesOf = (page: string) =>
  Array.from(
    readFileSync(join(PACKAGE, 'docs', `${page}.md`), 'utf8').matchAll(/^```ts\n([^]*?)^```/gm),
    ([, text = '']) => text,
  );

test('the example of docs/testing.md passes', async () => {
  const folder = folderOf('packages/trellis/template');
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'test/example.test.ts'), examplesOf('testing').join('\n'));
  const { ended, stdout } = start(process.execPath, ['--test', 'test/example.test.ts'], {}, folder);
  expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 4$/m)]);
});

test('the examples of docs/settings-and-resources.md compile', async () => {
  const folder = folderOf('examples/bank');
  const [settings = '', resources = ''] = examplesOf('settings-and-resources');
  mkdirSync(join(folder, 'service/example'));
  for (const [file, text] of Object.entries({ settings, resources }))
    writeFileSync(join(folder, `service/example/${file}.ts`), text);
  writeFileSync(join(folder, 'service/example/tables.ts'), "export { tables } from '../tables.ts';\n");
  const config = { extends: '../../tsconfig.json', include: ['service/example'] };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { ended, stdout } = start(process.execPath, [tsc, '--project', folder], {}, folder);
  expect([await ended, stdout()]).toEqual([0, '']);
});
