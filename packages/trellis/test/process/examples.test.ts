import { cpSync, globSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import type ts from 'typescript';
import type { AnyService } from '../../src/service.ts';
import { service as notes } from '../../template/service/index.ts';
import { faultsIn, programOf } from '../support/compiled.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { page as readPage } from '../support/readme.ts';
import { ROOT, runCommand, start, startInstance } from '../support/service.ts';
import { trellis } from '../support/trellis.ts';
import { atEnd, temporaryFolder } from '../../../contract/test/support/temporary.ts';

const PACKAGE = join(ROOT, 'packages/trellis');

const TEST = ['--test', '--test-isolation=none'];

/** Where `trellis` is found as in a service: beneath the node_modules of this repository. */
function newFolder(): string {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const folder = mkdtempSync(join(ROOT, '.cache/examples-'));
  atEnd(() => {
    rmSync(folder, { recursive: true });
  });
  return folder;
}

function folderOf(service: string): string {
  const folder = newFolder();
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
  const args = [...TEST, '--test-name-pattern=SQLite|time', 'test/*.test.ts'];
  const { ended, stdout } = start(process.execPath, args, {}, folder);
  expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 3$/m)]);
});

const reference = examplesOf('reference');
const [settings = '', resources = ''] = examplesOf('settings-and-resources');
const doors = ['src/index.ts', 'src/sql.ts', 'testing/index.ts'].map((file) => join(PACKAGE, file));
const bank = folderOf('examples/bank');
mkdirSync(join(bank, 'service/example'));
writeFileSync(join(bank, 'service/example/tables.ts'), "export { tables } from '../tables.ts';\n");
const written = (name: string, text: string) => {
  const file = join(bank, 'service', `${name}.ts`);
  writeFileSync(file, text);
  return file;
};
const examples = {
  'docs/settings-and-resources.md': [written('example/settings', settings), written('example/resources', resources)],
  'docs/reference.md': reference.map((text, at) => written(`example${at}`, text)),
  'README.md of trellis-contract': examplesOf('trellis-contract').map((text, at) => written(`contract${at}`, text)),
};

const service = join(newFolder(), 'parcels');
// The tests must send the token in this header field, not in Authorization.
const scheme = '{ type: apiKey, in: header, name: X-Parcel-Key }';
// A path that Redocly's `recommended` rules refuse, and that clients already use.
const yaml = readFileSync(join(PACKAGE, 'test/services/parcels/openapi.yaml'), 'utf8')
  .replace('{ type: http, scheme: bearer }', scheme)
  .replace('/depots:', '/depots/:');
const read = (file: string) => readFileSync(join(service, file), 'utf8');
let generated: Awaited<ReturnType<typeof trellis>>;
let files: readonly string[];
/** One for all, as the libraries take most of its time. */
let program: ts.Program;
beforeAll(async () => {
  // `trellis adopt` leaves such a folder: with the document that the contract was made of, and with the decisions.
  mkdirSync(service);
  for (const each of ['theirs.yaml', 'decisions.yaml', 'gitignore']) writeFileSync(join(service, each), yaml);
  expect(await trellis(service, 'init', '--contract', 'theirs.yaml')).toMatchObject({ code: 0, stderr: '' });
  expect(read('gitignore')).toBe(yaml);
  expect(read('.gitignore')).toContain('node_modules');
  generated = await trellis(service, 'generate');
  expect(generated).toMatchObject({ code: 0 });
  files = globSync('{main.ts,{service,test,generated}/*.ts}', { cwd: service }).map((file) => join(service, file));
  program = programOf([...Object.values(examples).flat(), ...doors, ...files]);
});

describe('beside the bank', () => {
  test.each(Object.entries(examples))('the examples of %s compile', (_, examined) => {
    expect(examined).not.toEqual([]);
    expect(faultsIn(program, examined)).toEqual([]);
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

describe('a service that trellis init --contract has made', () => {
  test('has an errorBody, so that trellis generate does not warn that it needs one', () => {
    expect(generated.stderr).toBe('');
    expect(read('service/index.ts')).toMatch(/^ {2}errorBody,$/m);
  });

  test('has a file for each operation, with the example of the contract where it has one', () => {
    expect(read('openapi.yaml')).toBe(yaml);
    expect(readdirSync(join(service, 'service'))).toHaveLength(
      14 + ['errorBody', 'index', 'steps', 'tables', 'types'].length,
    );
    expect(read('service/sendParcel.ts')).toContain(
      "body: { id: 9007199254740993n, to: { name: 'Ada', street: ['Long Lane', '12'] }, grams: 250 }",
    );
    expect(read('service/getPrices.ts')).toContain('body: { at: 4.5, de: 5 }');
    expect(read('service/recallParcel.ts')).toContain("stub<Reply<'recallParcel'>>({ status: 204 })");
    expect(read('service/listDepots.ts')).toContain('body: [{ id: 1n }]');
    expect(read('service/drawLabel.ts')).toMatch(/body: new Uint8Array\(\d+\)/);
    expect(read('service/addPicture.ts')).toContain(String.raw`body: "1,Ada\r\n"`);
    expect(
      readdirSync(join(service, 'test'))
        .map((file) => read(`test/${file}`))
        .join(),
    ).toContain("body: 'Ada'");
  });

  test('compiles', () => {
    expect(files.length).toBeGreaterThan(18);
    expect(faultsIn(program, files)).toEqual([]);
  });

  test('passes its tests on both engines', async () => {
    const settings = { TEST_DATABASE_URL: (await sharedPostgres()).url() };
    const { ended, stdout } = start(process.execPath, [...TEST, 'test/*.test.ts'], settings, service);
    expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 2$/m)]);
  });

  test('logs its stubs when it starts, serves its page, and answers failures as the contract declares them', async () => {
    const made = (await import(join(service, 'service/index.ts'))) as { readonly service: AnyService };
    const { url, log, token, stop } = await startInstance({}, made.service, service);
    expect(log().filter(({ stubs }) => stubs !== undefined)).toEqual([
      expect.objectContaining({ level: 'warn', stubs: expect.arrayContaining(['sendParcel', 'getHealth']) }),
    ]);
    expect((await fetch(`${url}/docs/`)).status).toBe(200);
    const headers = { 'X-Parcel-Key': token, 'X-Request-Id': 'mine' };
    const [parcel, none] = await Promise.all(
      ['/v2/parcels/7', '/v2/parcels/x'].map((path) => fetch(`${url}${path}`, { headers })),
    );
    expect([parcel?.status, none?.status]).toEqual([200, 400]);
    const said = expect.stringContaining('id');
    expect(await none?.json()).toEqual({ code: 40010, title: said, trace: 'mine', hints: [said] });
    expect(await stop()).toBe(0);
  });

  test('shows the answer of an operation that is written and does not find what its request names', async () => {
    const file = join(service, 'service/getParcel.ts');
    writeFileSync(
      file,
      `import type { Reply } from './types.ts';
export const getParcel = (): Promise<Reply<'getParcel'>> =>
  Promise.resolve({ status: 404, body: { code: 40404, title: 'no such parcel', trace: 'mine', hints: [] } });
`,
    );
    const args = [...TEST, '--test-name-pattern=SQLite', 'test/*.test.ts'];
    const { ended, stdout } = start(process.execPath, args, {}, service);
    const told = "getParcel answered 404: { code: 40404, title: 'no such parcel', trace: 'mine', hints: [] }";
    expect([await ended, stdout()]).toEqual([1, expect.stringContaining(told)]);
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
