import { execFile } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { contract } from '../packages/contract/tools/contract.ts';
import { compareContracts } from '../packages/contract/tools/compatibility/compare.ts';
import { loadContract } from '../packages/contract/src/load.ts';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';

/** The plant store, as its commands see it, with contracts of its own. */
const folder = temporaryFolder();
for (const each of ['package.json', 'scripts', 'packages', 'node_modules'])
  symlinkSync(join(ROOT, each), join(folder, each));
const RELEASED = 'released/1.0.0.yaml';
const FIRST = readFileSync(join(ROOT, RELEASED), 'utf8');

beforeEach(() => {
  rmSync(join(folder, 'released'), { recursive: true, force: true });
  mkdirSync(join(folder, 'released'));
  for (const file of [RELEASED, 'openapi.yaml']) write(file, FIRST);
});

const read = (file: string) => readFileSync(join(folder, file), 'utf8');
const write = (file: string, text: string) => {
  writeFileSync(join(folder, file), text);
};
const edit = (from: string, to: string, file = 'openapi.yaml') => {
  const text = read(file);
  expect(text).toContain(from);
  write(file, text.replace(from, to));
};
const setVersion = (to: string) => {
  write('openapi.yaml', read('openapi.yaml').replace(/^ {2}version: .*$/m, `  version: ${to}`));
};
const run = (command: 'check' | 'release') => contract(command, pathToFileURL(`${folder}/`));
const npmRun = (script: string) => promisify(execFile)('npm', ['run', '--silent', script], { cwd: folder });
const passes = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const fails = (stderr: string) => ({ code: 1, stdout: '', stderr });

const MAJOR = `POST /plants, request: {"id":1,"name":"!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!!… (519 characters) is refused: body.name must not have more than 500 characters; breaks clients: the service refuses what they may send today
POST /plants, reply 200: stored rows may break this reply, as body.name must not have more than 500 characters: run \`export - | import --dry-run -\`; compatible
`;
const OPERATION = 'operationId: createPlant';
const COOKIE = '{ name: dry, in: cookie, schema: { type: boolean } }';
const MINOR = `POST /plants; POST /plants, reply 200: other messages; compatible
`;

describe('the released contract', () => {
  const names = readdirSync(join(ROOT, 'released')).filter((name) => name.endsWith('.yaml'));
  test.each(names)('%s declares the version that its file name states', async (name) => {
    const contract = await loadContract(readFileSync(join(ROOT, 'released', name), 'utf8'));
    expect(`${contract.document.info.version}.yaml`).toBe(name);
    expect(compareContracts(contract, contract)).toEqual([]);
  });

  test('stays unchanged when openapi.yaml changes, and the next release is another file', async () => {
    expect(await run('check')).toEqual(passes('openapi.yaml is unchanged since 1.0.0\n'));
    expect(await run('release')).toEqual(passes(`${RELEASED}: as it was\n`));
    edit('maxLength: 1000', 'maxLength: 500');
    setVersion('2.0.0');
    expect(await run('release')).toEqual(passes('released/2.0.0.yaml: written; commit it with openapi.yaml\n'));
    expect(read('released/2.0.0.yaml')).toBe(read('openapi.yaml'));
    expect(read(RELEASED)).toBe(FIRST);
    const { stdout } = await npmRun('contract:check');
    expect(stdout).toBe('openapi.yaml is unchanged since 2.0.0\n');
  });

  test.each([
    ['major', 'the changes break clients', 'maxLength: 1000', 'maxLength: 500', MAJOR, '1.9.9', '2.0.0'],
    ['minor', 'clients see the changes', 'maxLength: 200', 'maxLength: 300', MINOR, '1.0.1', '1.1.0'],
    ['patch', 'only prose has changed', 'Create a plant', 'Add a plant', '', '1.0.0', '1.0.1'],
  ] as const)(
    'is followed by the next %s version if %s',
    async (level, reason, from, to, differences, tooLow, lowest) => {
      edit(from, to);
      const refusal = `info.version 1.0.0 is too low, as 1.0.0 is released: ${reason}, so set it to ${lowest}`;
      expect(await run('release')).toEqual(fails(`${differences}${refusal} or higher\n`));
      const conclusion = {
        major: '2 differences from 1.0.0, 1 breaks clients: info.version must be 2.0.0 or higher, and is 1.0.0\n',
        minor: '1 difference from 1.0.0, none breaks clients: the release needs version 1.1.0 or higher\n',
        patch: 'only prose differs from 1.0.0: the release needs version 1.0.1 or higher\n',
      }[level];
      const stdout = `${differences}${conclusion}`;
      expect(await run('check')).toEqual({ code: level === 'major' ? 1 : 0, stdout, stderr: '' });
      setVersion(tooLow);
      expect(await run('release')).toMatchObject({ code: 1 });
      expect(readdirSync(join(folder, 'released'))).toEqual(['1.0.0.yaml']);
      setVersion(lowest);
      expect(await run('release')).toMatchObject({ code: 0 });
    },
  );

  test('may have a schema that accepts the same values in another form, which the check lists as a difference to look at', async () => {
    edit('maxLength: 1000', 'maxLength: 1000\n      allOf: [{ maxLength: 1000 }]');
    const stdout = `POST /plants; POST /plants, reply 200: any other difference; look at it
1 difference from 1.0.0, 1 to look at, no other breaks clients: the release needs version 1.1.0 or higher
`;
    expect(await run('check')).toEqual(passes(stdout));
  });

  test('is the one with the highest version, compared number by number, also beside the folder of stores', async () => {
    mkdirSync(join(folder, 'released/stores'));
    for (const version of ['1.10.0', '1.9.0'])
      write(`released/${version}.yaml`, FIRST.replace('version: 1.0.0', `version: ${version}`));
    setVersion('1.9.1');
    const stdout = 'info.version is 1.9.1, but 1.10.0 is released: set a higher version\n';
    expect(await run('check')).toEqual({ code: 1, stdout, stderr: '' });
    expect(await run('release')).toMatchObject({ code: 1 });
  });

  test('is missing before the first release, which the check reports', async () => {
    rmSync(join(folder, 'released'), { recursive: true });
    const line = 'no contract is released yet: run `npm run contract:release`\n';
    expect(await run('check')).toEqual(fails(line));
    const { stdout } = await npmRun('contract:release');
    expect(stdout).toBe(`${RELEASED}: written; commit it with openapi.yaml\n`);
  });
});

describe('refused versions', () => {
  test.each(['1.1', '1.1.0-rc.1', 'v1.1.0', '01.1.0'])(
    'the check fails, and says why in one line, for the version %s',
    async (text) => {
      setVersion(`'${text}'`);
      const line = `info.version of openapi.yaml must be MAJOR.MINOR.PATCH, such as 1.2.0, not ${text}\n`;
      expect(await run('check')).toEqual(fails(line));
    },
  );

  test.each([
    ['openapi.yaml', 'openapi: 3.1.0', 'openapi: 3.0.3', 'openapi.yaml:1:1 must be OpenAPI 3.1: '],
    ['openapi.yaml', 'paths:\n', 'paths:\n\t/tab:\n', 'openapi.yaml:'],
    ['openapi.yaml', OPERATION, `${OPERATION}\n      x-allow-unknown-query-parameters: true`, 'openapi.yaml:'],
    [RELEASED, OPERATION, `${OPERATION}\n      x-allow-unknown-query-parameters: true`, `${RELEASED}:`],
    ['openapi.yaml', OPERATION, `${OPERATION}\n      parameters: [${COOKIE}]`, 'openapi.yaml:'],
    [RELEASED, OPERATION, `${OPERATION}\n      parameters: [${COOKIE}]`, `${RELEASED}:`],
    ['openapi.yaml', OPERATION, 'operationId: __proto__', 'openapi.yaml:'],
    [RELEASED, 'openapi: 3.1.0', 'openapi: 3.0.3', `${RELEASED}:1:1 must be OpenAPI 3.1: `],
    [RELEASED, 'version: 1.0.0', 'version: 1.0.1', `${RELEASED} has info.version 1.0.1: restore`],
    [RELEASED, 'version: 1.0.0', "version: '1'", `info.version of ${RELEASED} must be `],
  ])('the check fails, and says why in one line, for %s with `%s` changed to `%s`', async (file, from, to, line) => {
    edit(from, to, file);
    const { stderr, ...outcome } = await run('check');
    expect(outcome).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith(line)).toBe(true);
    expect(stderr).not.toContain('    at ');
  });

  test('the check fails, and says why in one line, for a file in released/ whose name is not a version', async () => {
    write('released/next.yaml', FIRST);
    const line = 'released/next.yaml is not a released contract: give it a name such as 1.2.0.yaml\n';
    expect(await run('check')).toEqual(fails(line));
  });

  test('the check fails, and says why in one line, for a missing openapi.yaml', async () => {
    rmSync(join(folder, 'openapi.yaml'));
    expect(await run('check')).toEqual(
      fails('openapi.yaml does not exist: name the folder of a service, or begin one by `trellis init`\n'),
    );
  });
});
