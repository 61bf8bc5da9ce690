import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { blocks } from '../../support/readme.ts';
import { ROOT, start } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { trellis } from '../../support/trellis.ts';

const PACKAGE = join(ROOT, 'packages/trellis');

/** Runs `trellis` as a process of its own. */
async function startTrellis(folder: string, ...args: readonly string[]) {
  const { ended, stdout, stderr } = start(process.execPath, [join(PACKAGE, 'bin/trellis'), ...args], {}, folder);
  return { code: await ended, stdout: stdout(), stderr: stderr() };
}

describe('trellis init', () => {
  test('makes a service with the name of its folder, which depends on the trellis that made it', async () => {
    const folder = temporaryFolder();
    const { code, stdout } = await startTrellis(folder, 'init', 'my-tasks');
    expect([code, stdout]).toEqual([
      0,
      'my-tasks: written. Next: cd my-tasks && npm install; then npm test && npm start\n',
    ]);
    const service = join(folder, 'my-tasks');
    const read = (file: string) => readFileSync(join(service, file), 'utf8');
    expect(read('service/index.ts')).toMatch(/name: 'my-tasks',\n {2}marker: '(?!mini).{4}'/);
    expect(read('.gitignore')).toContain('node_modules/');
    expect(read('.gitattributes')).toContain('eol=lf');
    expect(read('README.md')).toMatch(/^# my-tasks\n/);
    expect(JSON.parse(read('package.json'))).toMatchObject({
      name: 'my-tasks',
      dependencies: { trellis: `file:${relative(service, PACKAGE)}` },
    });
  });

  test('keeps a contract that the folder has, and writes no operation', async () => {
    const folder = join(temporaryFolder(), 'books');
    mkdirSync(folder);
    writeFileSync(join(folder, 'openapi.yaml'), 'openapi: 3.1.0\n');
    const next = 'Next: npm install && npm run generate; then npm run check names what the contract needs\n';
    expect(await trellis(folder, 'init')).toMatchObject({ code: 0, stdout: `books: written. ${next}` });
    expect(readFileSync(join(folder, 'openapi.yaml'), 'utf8')).toBe('openapi: 3.1.0\n');
    expect(readFileSync(join(folder, 'service/index.ts'), 'utf8')).toContain('operations: {},');
    expect(readdirSync(join(folder, 'service'))).not.toContain('createNote.ts');
    expect(readFileSync(join(folder, 'README.md'), 'utf8')).not.toContain('createNote');
  });

  test('keeps a dependency on its tarball, and all members of a package.json that it does not set', async () => {
    const folder = join(temporaryFolder(), 'tasks');
    mkdirSync(folder);
    writeFileSync(join(folder, 'trellis-0.1.0.tgz'), '');
    const kept = { main: 'index.js', devDependencies: { prettier: '3.10.1', typescript: '5.8.3' } };
    const dependencies = { cookie: '1.1.1', trellis: 'file:trellis-0.1.0.tgz' };
    // `npm init` writes this test, and a program for Windows the mark.
    const scripts = { hello: 'echo hello', test: 'echo "Error: no test specified" && exit 1' };
    writeFileSync(join(folder, 'package.json'), `\uFEFF${JSON.stringify({ ...kept, dependencies, scripts })}`);
    expect(await trellis(folder, 'init')).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))).toMatchObject({
      ...kept,
      dependencies,
      scripts: {
        hello: 'echo hello',
        start: expect.stringContaining('serve'),
        test: expect.stringContaining('--test'),
      },
    });
  });

  test.each([
    [
      '{ "scripts": { "start": "node server.js" } }',
      'package.json has a script "start", which init writes: rename it, or begin in another folder',
    ],
    [
      '{ "type": "commonjs" }',
      'lib/server.js would become an ES module, as init sets "type": "module" in package.json: set it yourself, ' +
        'name such files .cjs, or begin in another folder',
    ],
    ['{ "name": }', expect.stringMatching(/package\.json cannot be read: .*: mend it first$/)],
  ])('writes nothing beside the package.json %s of a project, and says why', async (text, said) => {
    const folder = join(temporaryFolder(), 'tasks');
    mkdirSync(join(folder, 'lib'), { recursive: true });
    writeFileSync(join(folder, 'package.json'), text);
    writeFileSync(join(folder, 'lib/server.js'), "require('node:fs');\n");
    const { code, stderr } = await trellis(folder, 'init');
    expect([code, stderr.trim()]).toEqual([1, said]);
    expect(readdirSync(folder).toSorted()).toEqual(['lib', 'package.json']);
    expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe(text);
  });

  test('keeps the files of a project of modules, and of its packages', async () => {
    const folder = join(temporaryFolder(), 'tasks');
    for (const [file, type] of [
      ['server.js', 'module'],
      ['node_modules/one/index.js', undefined],
    ] as const) {
      mkdirSync(dirname(join(folder, file)), { recursive: true });
      writeFileSync(join(folder, file), '');
      writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
      expect(await trellis(folder, 'init')).toMatchObject({ code: 0, stderr: '' });
      rmSync(folder, { recursive: true });
    }
  });

  test.each([
    ['My Tasks', 'a service has the name of its folder, of small letters, digits and "-": "My Tasks" cannot be one'],
    ['taken', 'taken/main.ts exists, which init writes: move it, or begin in another folder'],
  ])('writes nothing for the name %s, and says what to give', async (name, message) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'taken'));
    writeFileSync(join(folder, 'taken/main.ts'), '');
    expect(await trellis(folder, 'init', name)).toEqual({ code: 1, stdout: '', stderr: `${message}\n` });
    expect(readdirSync(folder, { recursive: true }).toSorted()).toEqual(['taken', 'taken/main.ts']);
  });
});

test('trellis contract check shows the differences that docs/releasing.md has', async () => {
  const folder = temporaryFolder();
  await trellis(folder, 'init', 'notes');
  expect(await trellis(folder, 'contract', 'release', 'notes')).toMatchObject({ code: 0 });
  const contract = join(folder, 'notes/openapi.yaml');
  writeFileSync(contract, readFileSync(contract, 'utf8').replace('maxLength: 1000', 'maxLength: 500'));
  const [shown] = blocks('releasing', 'Releasing the contract', 'console');
  expect(await trellis(folder, 'contract', 'check', 'notes')).toEqual({ code: 1, stdout: shown, stderr: '' });
});

test('trellis check lints by the rules that docs/changing-the-contract.md shows, and generate by none', async () => {
  const folder = temporaryFolder();
  await trellis(folder, 'init', 'notes');
  const contract = join(folder, 'notes/openapi.yaml');
  const yaml = readFileSync(contract, 'utf8');
  writeFileSync(
    contract,
    yaml
      .replace(" '429':", " '430':")
      .replace('maxLength: 1000,', '')
      .replace(/^ +example: \{ error: 409.*\n/m, ''),
  );
  const [rules = ''] = blocks('changing-the-contract', 'Style', 'yaml');
  const file = join(folder, 'notes/redocly.yaml');
  expect(readFileSync(file, 'utf8')).toMatch(
    /^#.*\nextends: \[recommended\]\nrules:\n.*\n {2}own\/example-of-error: error\n.*\n {2}own\/uuid-spelling: warn\n$/,
  );
  writeFileSync(file, `extends: [recommended]\n${rules}`);
  expect(await trellis(folder, 'generate', 'notes')).toMatchObject({ code: 0, stderr: '' });
  const { code, stderr } = await trellis(folder, 'generate', '--check', 'notes');
  const said = 'openapi.yaml breaks the rules of redocly.yaml 3 time(s): shown above';
  expect([code, stderr]).toEqual([1, expect.stringContaining(said)]);
  writeFileSync(file, `extends: [recommended]\n${rules.replaceAll('error', 'warn')}`);
  expect(await trellis(folder, 'generate', '--check', 'notes')).toMatchObject({ code: 0 });
  // A line each, so that many warnings leave what the compiler says in sight.
  for (const rule of ['own/bounds', 'own/errors-of-tokens', 'own/example-of-error'])
    expect(stderr).toMatch(new RegExp(`^ +\\d+:\\d+ +error +${rule} +\\S.*$`, 'm'));
  // Without rules of its own, the service has Redocly's `recommended`.
  writeFileSync(file, '# None yet.\n');
  writeFileSync(contract, yaml.replaceAll(/^ +license:.*\n|^ +summary: Create a note\n/gm, ''));
  expect((await trellis(folder, 'generate', '--check', 'notes')).stderr).toMatch(
    /^ +\d+:\d+ +\w+ +operation-summary /m,
  );
});

test('trellis generate takes files of a checkout with CRLF for what they were', async () => {
  const folder = temporaryFolder();
  await trellis(folder, 'init', 'notes');
  const files = ['openapi.yaml', 'generated/openapi.ts', 'generated/openapi.sha256', 'docs/api.md'];
  mkdirSync(join(folder, 'notes/docs'));
  writeFileSync(join(folder, 'notes/docs/api.md'), readFileSync(join(ROOT, 'docs/api.md')));
  await trellis(folder, 'generate', 'notes');
  for (const file of files.map((each) => join(folder, 'notes', each)))
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('\n', '\r\n'));
  expect(await trellis(folder, 'generate', '--check', 'notes')).toEqual({ code: 0, stdout: '', stderr: '' });
  expect((await trellis(folder, 'generate', 'notes')).stdout).not.toContain('written');
  expect(readFileSync(join(folder, 'notes/generated/openapi.ts'), 'utf8')).toContain('\r\n');
});

test.each([
  [['check', 'one', 'two']],
  [['contract', 'check', '--', 'one', 'two']],
  [['dev', '--fast']],
  [['generate', '--chek']],
  [['prune']],
])('trellis refuses an argument that it does not know: %j', async (args) => {
  const { code, stdout, stderr } = await trellis(temporaryFolder(), ...args);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(/^error: (?:too many arguments|unknown (?:option|command))/);
});

test.each(['generate', 'check', 'dev', 'contract check', 'contract release'])(
  'trellis %s says that a folder has no contract, and what to name',
  async (command) => {
    const { code, stderr } = await trellis(temporaryFolder(), ...command.split(' '));
    expect([code, stderr]).toEqual([1, expect.stringContaining('openapi.yaml')]);
    expect(stderr).toMatch(/: name (?:the|a) folder/);
    expect(stderr).not.toContain('    at ');
  },
);
