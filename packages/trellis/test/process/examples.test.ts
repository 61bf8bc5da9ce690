import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { service as notes } from '../../template/service/index.ts';
import { faultsIn, programOf } from '../support/compiled.ts';
import { ROOT, runCommand, start } from '../support/service.ts';
import { page as readPage } from '../support/readme.ts';
import { atEnd, temporaryFolder } from '../../../contract/test/support/temporary.ts';

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
  Array.from(readPage(page).matchAll(/^```ts\n([^]*?)^```/gm), ([, text = '']) => text);

test('the examples of docs/testing.md pass, also that which sets the time of an operation', async () => {
  const folder = folderOf('packages/trellis/template');
  const [, call = ''] = /`(context\.mock\S+ .*?)`/s.exec(readFileSync(join(PACKAGE, 'docs/testing.md'), 'utf8')) ?? [];
  const time = `
    import assert from 'node:assert/strict';
    import { test } from 'node:test';
    import { Client, startOn } from 'trellis/testing';
    import { service } from '../service/index.ts';

    test('the time', async (context) => {
      const now = Date.UTC(2031, 6);
      ${call};
      const getNote = ({ path }, tools) =>
        Promise.resolve({ status: 200, body: { ...path, text: tools.now().toISOString() } });
      await using instance = await startOn('SQLite', { ...service, operations: { ...service.operations, getNote } });
      const client = new Client({ url: instance.url, token: await instance.token() });
      const { body } = await client.send('GET', '/notes/3f0c6d5e-8d1b-4a52-9a55-0f6a2c7d9e10');
      assert.equal(body.text, '2031-07-01T00:00:00.000Z');
    });`;
  mkdirSync(join(folder, 'test'));
  writeFileSync(join(folder, 'test/example.test.ts'), examplesOf('testing').join('\n'));
  writeFileSync(join(folder, 'test/time.test.ts'), time);
  // The tests of the template, which are much the same, run on PostgreSQL too.
  const args = ['--test', '--test-isolation=none', '--test-name-pattern=SQLite|time', 'test/*.test.ts'];
  const { ended, stdout } = start(process.execPath, args, {}, folder);
  expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 3$/m)]);
});

describe('beside the bank', () => {
  const reference = examplesOf('reference');
  const [settings = '', resources = ''] = examplesOf('settings-and-resources');
  const doors = ['src/index.ts', 'src/sql.ts', 'testing/index.ts'].map((file) => join(PACKAGE, file));
  const folder = folderOf('examples/bank');
  mkdirSync(join(folder, 'service/example'));
  writeFileSync(join(folder, 'service/example/tables.ts'), "export { tables } from '../tables.ts';\n");
  const written = (name: string, text: string) => {
    const file = join(folder, 'service', `${name}.ts`);
    writeFileSync(file, text);
    return file;
  };
  const examples = {
    'docs/settings-and-resources.md': [written('example/settings', settings), written('example/resources', resources)],
    'docs/reference.md': reference.map((text, at) => written(`example${at}`, text)),
    'README.md of trellis-contract': examplesOf('trellis-contract').map((text, at) => written(`contract${at}`, text)),
  };
  const program = programOf([...Object.values(examples).flat(), ...doors]);

  test.each(Object.entries(examples))('the examples of %s compile', (_, files) => {
    expect(files).not.toEqual([]);
    expect(faultsIn(program, files)).toEqual([]);
  });

  test('docs/reference.md has a row and an example of each name that a service may import, of which trellis has at most 45', () => {
    const checker = program.getTypeChecker();
    const [names = [], ...others] = doors.map((file) => {
      const source = program.getSourceFile(file);
      const module = source && checker.getSymbolAtLocation(source);
      return module === undefined ? [] : checker.getExportsOfModule(module).map(({ name }) => name);
    });
    const text = readFileSync(join(PACKAGE, 'docs/reference.md'), 'utf8');
    const firstCells = Array.from(text.matchAll(/^\| (`[^|]*)\|/gm), ([, cell = '']) => cell).join(' ');
    const all = [...names, ...others.flat()];
    expect(all).toEqual(expect.arrayContaining(['run', 'Tools', 'sql', 'startOn']));
    expect(all.filter((name) => !firstCells.includes(`\`${name}\``))).toEqual([]);
    const used = (name: string) => new RegExp(`\\b${name}\\b`).test(reference.join('\n'));
    expect(all.filter((name) => !used(name))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(45);
  });
});

test('docs/operating.md has each setting and each command of a service', async () => {
  const text = readFileSync(join(PACKAGE, 'docs/operating.md'), 'utf8');
  const cells = Array.from(text.matchAll(/^\| (`[^|]*)\|/gm), ([, cell = '']) => cell).join(' ');
  const said = async (argument: string) => {
    const { code, stdout } = await runCommand([argument], {}, temporaryFolder(), notes);
    expect(code).toBe(0);
    return stdout;
  };
  const settings = Array.from((await said('config')).matchAll(/^([A-Z_]+) (?!.*FROM$)/gm), ([, name]) => name);
  const [, commands = ''] = (await said('--help')).split('Commands:');
  const names = Array.from(commands.matchAll(/^ {2}(?!help)([a-z]+)/gm), ([, name]) => name);
  expect([settings.length > 10, names.length > 5]).toEqual([true, true]);
  expect([...settings, ...names].filter((name) => !cells.includes(`\`${name ?? ''}\``))).toEqual([]);
});
