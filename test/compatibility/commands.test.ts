import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { compareContracts } from '../../scripts/compatibility/contracts.ts';
import { loadDocument } from '../../src/contract/load.ts';
import { Project } from '../support/project.ts';
import { ROOT } from '../support/service.ts';

const project = new Project();
const { folder } = project;
const FIRST = readFileSync(join(ROOT, 'released/1.0.0.yaml'), 'utf8');

beforeEach(() => {
  rmSync(join(folder, 'released'), { recursive: true, force: true });
  mkdirSync(join(folder, 'released'));
  writeFileSync(join(folder, 'released/1.0.0.yaml'), FIRST);
  writeFileSync(join(folder, 'openapi.yaml'), FIRST);
});

function edit(from: string, to: string, file = 'openapi.yaml'): void {
  const text = project.read(file);
  expect(text).toContain(from);
  project.write(file, text.replaceAll(from, to));
}
const version = (to: string) => {
  edit('\n  version: 1.0.0\n', `\n  version: ${to}\n`);
};

function run(command: 'check' | 'release'): Promise<{ code: number; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    execFile('npm', ['run', '--silent', `contract:${command}`], { cwd: folder }, (error, stdout, stderr) => {
      // What npm itself has to say is not ours.
      const ours = stderr.replaceAll(/^npm warn .*\n/gm, '');
      resolve({ code: error === null ? 0 : Number(error.code), stdout, stderr: ours });
    });
  });
}
const passes = (stdout: string) => ({ code: 0, stdout, stderr: '' });
const fails = (stderr: string) => ({ code: 1, stdout: '', stderr });

const NARROWED =
  'POST /plants, request body, name.maxLength: 1000 → 500; breaks clients: what they may send today is refused\n' +
  'POST /plants, reply 200, body, name.maxLength: 1000 → 500; compatible\n';
const ADDED =
  'POST /plants, request body, tag.maxLength: 200 → 300; compatible\n' +
  'POST /plants, reply 200, body, tag.maxLength: 200 → 300; compatible\n';
const notReleasable = (text: string) => `info.version is 1.0.0, and 1.0.0 is released with another text: ${text}\n`;

describe('the contract that is released', () => {
  test.each(readdirSync(join(ROOT, 'released')))('%s is a contract of that version', (name) => {
    const contract = loadDocument(readFileSync(join(ROOT, 'released', name), 'utf8'));
    expect(`${contract.document.info.version}.yaml`).toBe(name);
    expect(compareContracts(contract, contract)).toEqual([]);
  });

  test('is not changed by what openapi.yaml changes, until that is released', async () => {
    expect(await run('check')).toEqual(passes('openapi.yaml is as it was released with 1.0.0\n'));
    expect(await run('release')).toEqual(passes('released/1.0.0.yaml: as it was\n'));
  });

  test('is followed by another major version only if clients break', async () => {
    edit('maxLength: 1000', 'maxLength: 500');
    const conclusion = '2 differences from 1.0.0, 1 breaks clients: info.version';
    const failed = { code: 1, stderr: '', stdout: `${NARROWED}${conclusion} must be 2.0.0 or higher, and is 1.0.0\n` };
    expect(await run('check')).toEqual(failed);
    expect(readFileSync(join(ROOT, 'README.md'), 'utf8')).toContain(failed.stdout);
    const refusal = notReleasable('clients break, so set it to 2.0.0 or higher');
    expect(await run('release')).toEqual(fails(NARROWED + refusal));
    version('1.9.9');
    expect(await run('check')).toMatchObject({ code: 1 });
    expect(await run('release')).toMatchObject({ code: 1 });
    expect(readdirSync(join(folder, 'released'))).toEqual(['1.0.0.yaml']);
    edit('version: 1.9.9', 'version: 2.0.0');
    expect(await run('check')).toEqual(passes(`${NARROWED}${conclusion} is 2.0.0\n`));
    expect(await run('release')).toEqual(passes('released/2.0.0.yaml: written; commit it with openapi.yaml\n'));
    const released = readFileSync(join(folder, 'released/2.0.0.yaml'));
    expect(released.equals(readFileSync(join(folder, 'openapi.yaml')))).toBe(true);
    expect(readFileSync(join(folder, 'released/1.0.0.yaml'), 'utf8')).toBe(FIRST);
    expect(await run('check')).toEqual(passes('openapi.yaml is as it was released with 2.0.0\n'));
  });

  test('is followed by another minor version if clients may do more', async () => {
    edit('maxLength: 200', 'maxLength: 300');
    const conclusion = '2 differences from 1.0.0, none breaks clients: its release needs 1.1.0 or higher\n';
    expect(await run('check')).toEqual(passes(ADDED + conclusion));
    const refusal = notReleasable('what clients may do has changed, so set it to 1.1.0 or higher');
    expect(await run('release')).toEqual(fails(ADDED + refusal));
    version('1.0.1');
    expect(await run('release')).toMatchObject({ code: 1 });
    edit('version: 1.0.1', 'version: 1.1.0');
    expect(await run('release')).toMatchObject({ code: 0 });
  });

  test('is followed by another patch version if its prose has changed', async () => {
    edit('Create a plant', 'Add a plant');
    const conclusion = 'no difference from 1.0.0 but in prose: its release needs 1.0.1 or higher\n';
    expect(await run('check')).toEqual(passes(conclusion));
    expect(await run('release')).toEqual(fails(notReleasable('the text has changed, so set it to 1.0.1 or higher')));
    version('1.0.1');
    expect(await run('release')).toMatchObject({ code: 0 });
  });

  test('is the newest by number, not by letter', async () => {
    for (const each of ['1.10.0', '1.9.0'])
      writeFileSync(join(folder, `released/${each}.yaml`), FIRST.replace('version: 1.0.0', `version: ${each}`));
    version('1.9.1');
    expect(await run('check')).toEqual({
      code: 1,
      stdout: 'info.version is 1.9.1, but 1.10.0 is released\n',
      stderr: '',
    });
    expect(await run('release')).toMatchObject({ code: 1 });
  });
});

describe('what cannot be compared is one line:', () => {
  test('no contract is released yet, and then the first is', async () => {
    rmSync(join(folder, 'released'), { recursive: true });
    const line = 'no contract is released yet: `npm run contract:release` releases openapi.yaml\n';
    expect(await run('check')).toEqual(fails(line));
    expect(await run('release')).toEqual(passes('released/1.0.0.yaml: written; commit it with openapi.yaml\n'));
    expect(existsSync(join(folder, 'released/1.0.0.yaml'))).toBe(true);
  });

  test.each(['1.1', '1.1.0-rc.1', 'v1.1.0', '01.1.0'])('a version %s', async (text) => {
    version(`'${text}'`);
    const line = `info.version of openapi.yaml must be MAJOR.MINOR.PATCH, such as 1.2.0, and is ${text}\n`;
    expect(await run('check')).toEqual(fails(line));
    expect(await run('release')).toEqual(fails(line));
  });

  test.each([
    ['openapi.yaml', 'openapi: 3.1.0', 'openapi: 3.0.3', 'openapi.yaml:1:1 must be OpenAPI 3.1: '],
    ['openapi.yaml', 'paths:\n', 'paths:\n\t/tab:\n', 'openapi.yaml is not YAML: '],
    ['released/1.0.0.yaml', 'openapi: 3.1.0', 'openapi: 3.0.3', 'released/1.0.0.yaml:1:1 must be OpenAPI 3.1: '],
    ['released/1.0.0.yaml', 'version: 1.0.0', 'version: 1.0.1', 'released/1.0.0.yaml says that it is 1.0.1: restore'],
    ['released/1.0.0.yaml', 'version: 1.0.0', "version: '1'", 'info.version of released/1.0.0.yaml must be '],
  ])('%s: %s → %s', async (file, from, to, line) => {
    edit(from, to, file);
    const { code, stdout, stderr } = await run('check');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr.startsWith(line)).toBe(true);
    expect(stderr).not.toContain('    at ');
  });

  test('a file that is no released contract', async () => {
    writeFileSync(join(folder, 'released/next.yaml'), FIRST);
    const line = 'released/next.yaml is no released contract: its name must be such as 1.2.0.yaml\n';
    expect(await run('check')).toEqual(fails(line));
  });

  test('no openapi.yaml', async () => {
    rmSync(join(folder, 'openapi.yaml'));
    expect(await run('check')).toEqual(fails('openapi.yaml cannot be read: ENOENT\n'));
  });
});
