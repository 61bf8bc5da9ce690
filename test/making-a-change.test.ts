import { describe, expect, test } from '@jest/globals';
import { YAML } from './support/app.ts';
import { PostgresServer } from './support/postgres.ts';
import { Project } from './support/project.ts';
import { blocks, run } from './support/readme.ts';
import { createPlant, plantStore, startService } from './support/service.ts';

const TSC = 'scripts/node node_modules/typescript/bin/tsc';
const [GENERATE = ''] = (blocks('Making a change', 'sh')[0] ?? '').trim().split('\n');

/** The command says of the project only what the README says that it says, where `…` stands for anything. */
async function expectError(project: Project, command: string, message: string): Promise<void> {
  const { code, stdout } = await run(project, command);
  expect(code).not.toBe(0);
  expect(stdout).toMatch(new RegExp(message.trim().split('…').map(RegExp.escape).join('.*'), 's'));
  expect(stdout.match(/error TS/g)).toHaveLength(1);
}

describe('the README tells how to make a change:', () => {
  test('a new operation', async () => {
    const project = new Project();
    // The names of the example are changed: the project may have got them meanwhile.
    const renamed = (text: string) => text.replaceAll('getPlant', 'getSpecimen').replace('/plants/', '/specimens/');
    const [yaml = ''] = blocks('A new operation', 'yaml').map(renamed);
    const [missing = ''] = blocks('A new operation', 'console').map(renamed);
    project.edit('openapi.yaml', '\npaths:\n', `\npaths:\n${yaml}`);
    expect(await run(project, GENERATE)).toMatchObject({ code: 0 });
    await expectError(project, `${TSC} --project tsconfig.dev.json`, missing);
  });

  test('a new field', async () => {
    const project = new Project();
    const renamed = (text: string) => text.replaceAll('height', 'heightOfExample');
    const [yaml = ''] = blocks('A new field', 'yaml').map(renamed);
    const [dropped = '', missing = ''] = blocks('A new field', 'console').map(renamed);
    const changed = YAML.replaceAll(/^ {4}(?:NewPlant|Plant):\n.*?^ {6}properties:\n/gms, (schema) => schema + yaml);
    expect(changed.match(/heightOfExample:/g)).toHaveLength(2);
    project.write('openapi.yaml', changed);
    expect(await run(project, GENERATE)).toMatchObject({ code: 0 });
    await expectError(project, `${TSC} --project tsconfig.dev.json`, dropped);
    project.edit('src/storage/store.ts', '  readonly tag', '  readonly heightOfExample?: bigint;\n  readonly tag');
    await expectError(project, `${TSC} --project tsconfig.dev.json`, missing);

    const [onSqlite = '', onPostgres = '', reply = ''] = blocks('A new field', 'ts').map(renamed);
    project.edit('src/storage/columns.ts', '\n};', "\n  heightOfExample: 'bigint',\n};");
    await using server = await PostgresServer.create();
    for (const [url, what] of [
      [`sqlite:${project.folder}/plants.db`, 'lacks columns of plants (heightOfExample): add a migration'],
      [server.url(), 'lacks a column of plants that src/storage/columns.ts has: add a migration'],
    ] as const) {
      const { code, stderr } = await plantStore(['migrate'], { DATABASE_URL: url }, project.folder, {}, project.main);
      expect([code, stderr]).toEqual([1, expect.stringContaining(what)]);
    }
    project.edit('src/storage/sqlite/migrations.ts', '\n];', `\n${onSqlite}];`);
    project.edit('src/storage/postgres/migrations.ts', '\n];', `\n${onPostgres}];`);
    project.edit('src/operations/createPlant.ts', '  const { name, tag } = body;\n', reply);
    project.edit('src/operations/createPlant.ts', 'body: tag === undefined ? { name } : { name, tag }', 'body: reply');
    project.edit('src/operations/createPlant.ts', 'import type { Reply,', 'import type { Schema, Reply,');
    expect(await run(project, TSC)).toMatchObject({ code: 0, stdout: '' });

    for (const environment of [{}, { DATABASE_URL: server.url() }]) {
      const service = await startService(environment, project.folder, project.main);
      for (const replayed of [null, 'true']) {
        const response = await createPlant(service, '{"id":1,"name":"x","heightOfExample":9007199254740993}');
        const text = await response.text();
        expect([response.status, text, response.headers.get('Idempotent-Replayed')]).toEqual([200, text, replayed]);
        for (const member of ['"name":"x"', '"heightOfExample":9007199254740993']) expect(text).toContain(member);
      }
      await service.stop();
    }
  });
});
