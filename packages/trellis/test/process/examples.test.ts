import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import ts from 'typescript';
import { ROOT, start } from '../support/service.ts';
import { atEnd, temporaryFolder } from '../support/temporary.ts';

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

test('now() of an operation is the time that a test of its service has set', async () => {
  const folder = folderOf('packages/trellis/template');
  const [, call = ''] = /`(context\.mock\S+ .*?)`/s.exec(readFileSync(join(PACKAGE, 'docs/testing.md'), 'utf8')) ?? [];
  const text = `
    import assert from 'node:assert/strict';
    import { test } from 'node:test';
    import { Client, startOn } from 'trellis/testing';
    import { service } from './service/index.ts';

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
  writeFileSync(join(folder, 'time.test.ts'), text);
  const { ended, stdout } = start(process.execPath, ['--test', 'time.test.ts'], {}, folder);
  expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 1$/m)]);
});

/** Compiles files beside those of the bank. */
async function compiled(folder: string, files: Readonly<Record<string, string>>) {
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, `service/${file}.ts`), text);
  const include = Object.keys(files).map((file) => `service/${file}.ts`);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ extends: '../../tsconfig.json', include }));
  const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
  const { ended, stdout } = start(process.execPath, [tsc, '--project', folder], {}, folder);
  return [await ended, stdout()];
}

test('the examples of docs/settings-and-resources.md compile', async () => {
  const folder = folderOf('examples/bank');
  const [settings = '', resources = ''] = examplesOf('settings-and-resources');
  mkdirSync(join(folder, 'service/example'));
  const tables = "export { tables } from '../tables.ts';\n";
  const files = { 'example/settings': settings, 'example/resources': resources, 'example/tables': tables };
  expect(await compiled(folder, files)).toEqual([0, '']);
});

describe('docs/reference.md', () => {
  const examples = examplesOf('reference');

  test('has examples that compile', async () => {
    const files = Object.fromEntries(examples.map((text, at) => [`example${at}`, text]));
    expect(await compiled(folderOf('examples/bank'), files)).toEqual([0, '']);
  });

  test('has a row and an example of each name that a service may import, of which trellis has at most 45', () => {
    const doors = ['src/index.ts', 'src/sql.ts', 'testing/index.ts'].map((file) => join(PACKAGE, file));
    const program = ts.createProgram(doors, { allowImportingTsExtensions: true, noEmit: true });
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
    const used = (name: string) => new RegExp(`\\b${name}\\b`).test(examples.join('\n'));
    expect(all.filter((name) => !used(name))).toEqual([]);
    expect(names.length).toBeLessThanOrEqual(45);
  });
});

test('docs/operating.md has each setting and each command of a service', async () => {
  const text = readFileSync(join(PACKAGE, 'docs/operating.md'), 'utf8');
  const cells = Array.from(text.matchAll(/^\| (`[^|]*)\|/gm), ([, cell = '']) => cell).join(' ');
  const main = join(PACKAGE, 'template/main.ts');
  const said = async (argument: string) => {
    const { ended, stdout } = start(process.execPath, [main, argument], {}, temporaryFolder());
    expect(await ended).toBe(0);
    return stdout();
  };
  const settings = Array.from((await said('config')).matchAll(/^([A-Z_]+) (?!.*FROM$)/gm), ([, name]) => name);
  const [, commands = ''] = (await said('--help')).split('Commands:');
  const names = Array.from(commands.matchAll(/^ {2}(?!help)([a-z]+)/gm), ([, name]) => name);
  expect([settings.length > 10, names.length > 5]).toEqual([true, true]);
  expect([...settings, ...names].filter((name) => !cells.includes(`\`${name ?? ''}\``))).toEqual([]);
});
