import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { MAX_BODY_BYTES } from '../src/contract/body.ts';
import { MAX_DEPTH } from '../src/contract/json.ts';
import { YAML } from './support/app.ts';
import { Project } from './support/project.ts';
import { createPlant, plantStore, ROOT, startService } from './support/service.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

/** The code blocks of a language below a heading. */
function blocks(heading: string, language: string): string[] {
  const section = README.split(/^#+ /m).find((each) => each.startsWith(`${heading}\n`)) ?? '';
  return [...section.matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, each]) => each === language)
    .map(([, , text]) => text ?? '');
}

/** Runs a line as a reader would, in a copy of the project. */
function run({ folder }: Project, line: string): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const { PATH, HOME } = process.env;
  return new Promise((resolve) => {
    const child = execFile(
      'bash',
      ['--norc', '-c', line],
      { cwd: folder, env: { PATH, HOME } },
      (_error, stdout, stderr) => {
        resolve({ code: child.exitCode, stdout, stderr });
      },
    );
  });
}

/** What tsc says of the project, and what the README says that it says, where `…` stands for anything. */
async function expectCompilerToSay(project: Project, message: string): Promise<void> {
  const { code, stdout } = await run(project, 'scripts/node node_modules/typescript/bin/tsc');
  expect(code).not.toBe(0);
  const pattern = message
    .trim()
    .split('…')
    .map((part) => part.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
    .join('.*');
  expect(stdout).toMatch(new RegExp(pattern, 's'));
  expect(stdout.match(/error TS/g)).toHaveLength(1);
}

describe('README', () => {
  test('has the error numbers of the contract', () => {
    const rows = (text: string) =>
      [...text.matchAll(/\| (\d{5}) \|(?: \d{3} \|)? (.+?) +\|/g)].map(([, number, meaning]) => [number, meaning]);
    expect(rows(README)).toEqual(rows(YAML));
  });

  test('has the limits of the contract', () => {
    expect(README).toContain(`body ${String(MAX_BODY_BYTES / 1024)} KiB`);
    expect(YAML).toContain(`at most ${String(MAX_BODY_BYTES / 1024)} KiB`);
    expect(README).toContain(`at most ${String(MAX_DEPTH)} levels`);
    expect(YAML).toContain(`at most ${String(MAX_DEPTH)} levels deep`);
    expect(YAML).toContain('minLength: 1\n      maxLength: 1000');
    expect(YAML).toContain('maxLength: 200');
    expect(README).toContain('`name` 1 to 1,000 characters, `tag` up to 200');
  });

  test('has every setting that the service reads, with its default', () => {
    const read = readFileSync(join(ROOT, 'src/config.ts'), 'utf8');
    const settings = [...read.matchAll(/setting(?:<.*?>)?\('(\w+)'/g)].map(([, name]) => name);
    const documented = [...README.matchAll(/^\| `([A-Z_]+)` /gm)].map(([, name]) => name);
    expect(documented.toSorted()).toEqual(settings.toSorted());
  });

  test('has every command, and each line of it works as it stands', async () => {
    const project = new Project();
    const [commands = ''] = blocks('Commands', 'sh');
    const { stdout: help } = await plantStore(['--help'], {});
    for (const [, name = ''] of help.matchAll(/^ {2}(?!help)([a-z]+)/gm))
      expect(README).toMatch(new RegExp(`\`${name}[ \`]`));
    // A plant to be removed: the service is not running here.
    expect((await run(project, 'npm run --silent plant-store -- migrate')).code).toBe(0);
    expect(
      (
        await run(
          project,
          `scripts/node -e "new (require('node:sqlite').DatabaseSync)('data/plants.db').exec('insert into plants (id, name) values (1, 2)')"`,
        )
      ).code,
    ).toBe(0);
    for (const line of commands.trim().split('\n')) {
      expect({ line, ...(await run(project, line)) }).toMatchObject({ line, code: 0 });
    }
    expect(project.read('plants.ndjson')).toBe('{"id":1,"name":"2"}\n');
  });

  test('has no other command that does not work', async () => {
    const project = new Project();
    // CI runs these: in a fresh clone, as the tests themselves, in short, or in a test of their own.
    const elsewhere =
      /^npm (start|test|run (check|contract:check|contract:release|coverage|bench|dev|screenshot|test:derived|test:faults))$/;
    const inText = new Set([...README.matchAll(/`(np[mx] [^`]+)`/g)].map(([, line = '']) => line));
    expect([...inText]).toContain('npm run generate');
    for (const line of inText) {
      if (elsewhere.test(line)) continue;
      expect({ line, ...(await run(project, line.replace('NAME', 'reader'))) }).toMatchObject({ line, code: 0 });
    }
  });

  test('tells how to make a change: a new operation', async () => {
    const project = new Project();
    // The names of the example are changed: the project may have got them meanwhile.
    const renamed = (text: string) =>
      text
        .replaceAll('getPlant', 'getSpecimen')
        .replace('/plants/{id}', '/specimens/{id}')
        .replaceAll('plantUnknown', 'specimenUnknown')
        .replaceAll('40401', '40499')
        .replaceAll(
          /(plants\.|tables\.|(?<!\)\.)\b)get(?=\(id|\(path|: \(id|: async \(id|'|\(\.\.\.call)/g,
          '$1getSpecimen',
        );
    const example = (language: string) => blocks('A new operation', language).map(renamed);
    const [yaml = ''] = example('yaml');
    const [message = ''] = example('console');
    const [generate = '', check = ''] = (blocks('Making a change', 'sh')[0] ?? '').trim().split('\n');
    project.edit('openapi.yaml', '\npaths:\n', `\npaths:\n${yaml}`);
    expect(await run(project, generate)).toMatchObject({ code: 0 });
    expect(await run(project, check)).not.toMatchObject({ code: 0 });
    await expectCompilerToSay(project, message);

    const [operation = '', number = '', inInterface = '', ...inEngines] = example('ts');
    const [inEngine = '', inWorker = '', inTables = '', select = '', inPostgres = ''] = inEngines;
    project.write('src/operations/getSpecimen.ts', operation);
    project.edit('src/operations/index.ts', '= { createPlant', '= { getSpecimen, createPlant');
    project.edit('src/operations/index.ts', 'import', "import { getSpecimen } from './getSpecimen.ts';\nimport");
    project.edit('src/contract/errors.ts', '  methodNotAllowed', `${number}  methodNotAllowed`);
    project.edit(
      'src/storage/plant-store.ts',
      '\n  /** Every plant in the order',
      `${inInterface}\n  /** Every plant in the order`,
    );
    project.edit('src/storage/sqlite/engine.ts', '    remove: (id)', `${inEngine}    remove: (id)`);
    project.edit('src/storage/sqlite/worker.ts', "    case 'remove':", `${inWorker}    case 'remove':`);
    project.edit('src/storage/sqlite/tables.ts', '\n  remove(', `${inTables}\n  remove(`);
    project.edit('src/storage/sqlite/tables.ts', 'import { readToken }', 'import { readToken, toPlant }');
    project.edit('src/storage/postgres/engine.ts', '\nconst READY', `\n${select}const READY`);
    project.edit('src/storage/postgres/engine.ts', '      remove: (id)', `${inPostgres}      remove: (id)`);
    project.edit('src/storage/sqlite/tables.ts', 'import type { Creation }', 'import type { Creation, StoredPlant }');
    expect(await run(project, 'scripts/node node_modules/typescript/bin/tsc')).toMatchObject({ code: 0, stdout: '' });

    const service = await startService({}, project.folder, project.main);
    await createPlant(service, '{"id":9007199254740993,"name":"x"}');
    const get = async (id: string) => {
      const response = await fetch(`${service.url}/specimens/${id}`, {
        headers: { Authorization: `Bearer ${service.token}` },
      });
      return [response.status, await response.text()];
    };
    expect(await get('9007199254740993')).toEqual([200, '{"name":"x"}']);
    expect(await get('9007199254740992')).toEqual([404, '{"error":40499,"message":"there is no plant with this id"}']);
    expect(await get('x')).toEqual([400, '{"error":40010,"message":"path.id must be an integer"}']);
    await service.stop();
  });

  test('tells how to make a change: a new field', async () => {
    const project = new Project();
    const renamed = (text: string) => text.replaceAll('height', 'heightOfExample');
    const [yaml = ''] = blocks('A new field', 'yaml').map(renamed);
    const [dropped = '', missing = ''] = blocks('A new field', 'console').map(renamed);
    const changed = YAML.replaceAll(/^ {4}(?:NewPlant|Plant):\n.*?^ {6}properties:\n/gms, (schema) => schema + yaml);
    expect(changed.match(/heightOfExample:/g)).toHaveLength(2);
    project.write('openapi.yaml', changed);
    expect(await run(project, 'npm run generate')).toMatchObject({ code: 0 });
    await expectCompilerToSay(project, dropped);
    project.edit(
      'src/storage/plant-store.ts',
      '  readonly tag',
      '  readonly heightOfExample?: bigint;\n  readonly tag',
    );
    await expectCompilerToSay(project, missing);
  });
});
