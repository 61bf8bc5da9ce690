import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostgresServer } from '../../packages/trellis/test/support/postgres.ts';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { blocks, run } from '../../packages/trellis/test/support/readme.ts';
import { createPlant, startPlants } from '../support.ts';

// These tests follow the section "Making a change" of README.md, step by step, in a copy of the project.

const project = new Project();
const server = await PostgresServer.create();
afterAll(() => server.remove());
const addWhatReadmeShows = () => run(project, 'scripts/node test/nightly/extend.ts . README.md');

beforeAll(async () => {
  expect(await addWhatReadmeShows()).toMatchObject({ code: 0 });
});

test('the compiler reports the missing operation with the text in README', async () => {
  project.restore('src');
  expect(await run(project, 'npm run generate')).toMatchObject({ code: 0 });
  const { code, stdout } = await run(project, 'scripts/node node_modules/typescript/bin/tsc');
  expect(code).not.toBe(0);
  const [sentence = ''] = blocks('README', 'Making a change', 'console');
  expect(
    stdout
      .replaceAll(/\{ createPlant: .*? \}(?=' but)/g, '{ createPlant: … }')
      .replaceAll(/Tools<.*>>'/g, "Tools<…>>'"),
  ).toContain(sentence);
});

test('`npm run check` accepts the code of README', async () => {
  expect(await addWhatReadmeShows()).toMatchObject({ code: 0 });
  const { code, stdout, stderr } = await run(project, 'npm run check');
  expect({ code, output: code === 0 ? '' : stdout + stderr }).toEqual({ code: 0, output: '' });
});

test('the tests that `npm run t` chooses for the files of README pass', async () => {
  const { code, stderr } = await run(project, 'npm run t -- generated/openapi.ts src/countPlants.ts src/index.ts');
  expect({ code, output: code === 0 ? '' : stderr }).toEqual({ code: 0, output: '' });
});

test.each([
  ['SQLite', `sqlite:${project.folder}/plants.db`],
  ['PostgreSQL', server.url()],
])('the new operation returns the number of plants, on %s', async (_engine, database) => {
  const service = await startPlants({ DATABASE_URL: database }, project.folder, project.main);
  expect((await createPlant(service, '{"id":1,"name":"Ginkgo biloba"}')).status).toBe(200);
  const headers = { Authorization: `Bearer ${service.token}` };
  expect(await (await fetch(`${service.url}/plants`, { headers })).text()).toBe('{"count":1}');
  await service.stop();
});
