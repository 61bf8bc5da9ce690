import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { PostgresServer } from '../../support/postgres.ts';
import { Project } from '../../support/project.ts';
import { page, run } from '../../support/readme.ts';
import type { Service } from '../../support/service.ts';
import { startPlants } from '../support.ts';

// These tests add the recipes of docs/extending.md, docs/tables.md and docs/transactions.md to a copy of the project.

const NODE = 'scripts/node node_modules';
const GENERATE = 'npm run generate';
const CHECKS = [
  `${NODE}/typescript/bin/tsc --project tsconfig.dev.json`,
  `${NODE}/eslint/bin/eslint.js src/plants`,
  `${NODE}/prettier/bin/prettier.cjs --check --log-level warn src/plants`,
];
const project = new Project();
const server = await PostgresServer.create();
const ENGINES = [
  ['SQLite', `sqlite:${project.folder}/plants.db`],
  ['PostgreSQL', server.url()],
] as const;
afterAll(() => server.remove());

async function expectGreen(): Promise<void> {
  expect(await run(project, GENERATE)).toMatchObject({ code: 0 });
  for (const command of CHECKS) expect(await run(project, command)).toEqual({ code: 0, stdout: '', stderr: '' });
}

/** The service of the copy, running on one database. */
class Extended {
  private readonly service: Service;
  private readonly token: string;

  private constructor(service: Service, token: string) {
    this.service = service;
    this.token = token;
  }

  static async start(database: string): Promise<Extended> {
    const service = await startPlants({ DATABASE_URL: database }, project.folder, project.main);
    // Only the first start on a database makes a token.
    const token = TOKENS.get(database) ?? service.token;
    TOKENS.set(database, token);
    return new Extended(service, token);
  }

  /** Sends a request, and returns the status and the text of the reply. */
  async send(method: string, path: string, body?: string): Promise<[number, string]> {
    const type = method === 'PATCH' ? 'application/merge-patch+json' : 'application/json';
    const headers = { Authorization: `Bearer ${this.token}`, 'Content-Type': type };
    const response = await fetch(this.service.url + path, { method, headers, ...(body === undefined ? {} : { body }) });
    return [response.status, await response.text()];
  }

  async stop(): Promise<void> {
    await this.service.stop();
  }
}

const TOKENS = new Map<string, string>();
const UNKNOWN = [404, '{"error":40401,"message":"there is no plant with this id"}'];
const BIG = '9007199254740993';
const any = expect.any(String);

beforeAll(async () => {
  expect(await run(project, 'scripts/node test/plants/extended/extend.ts .')).toMatchObject({ code: 0 });
  await expectGreen();
});

describe.each(ENGINES)('with the recipes, on %s, the service', (_engine, url) => {
  let service: Extended;
  const send = (...request: Parameters<Extended['send']>) => service.send(...request);

  beforeAll(async () => {
    service = await Extended.start(url);
    expect(await send('POST', '/plants', `{"id":${BIG},"name":"Ginkgo","tag":"tree"}`)).toEqual([200, any]);
  });
  afterAll(() => service.stop());

  test('returns a plant by its id, exact to the last digit', async () => {
    expect(await send('GET', `/plants/${BIG}`)).toEqual([200, '{"name":"Ginkgo","tag":"tree"}']);
    expect(await send('GET', '/plants/9007199254740992')).toEqual(UNKNOWN);
    expect(await send('GET', '/plants/x')).toEqual([400, any]);
  });

  test('changes a plant, and removes its tag', async () => {
    await send('POST', '/plants', '{"id":5,"name":"Aloe","tag":"succulent"}');
    expect(await send('PATCH', '/plants/5', '{"name":"Agave"}')).toEqual([200, '{"name":"Agave","tag":"succulent"}']);
    expect(await send('PATCH', '/plants/5', '{"tag":null}')).toEqual([200, '{"name":"Agave"}']);
    expect(await send('GET', '/plants/5')).toEqual([200, '{"name":"Agave"}']);
    expect(await send('PATCH', '/plants/5', '{}')).toEqual([400, any]);
    expect(await send('PATCH', '/plants/5', '{"name":null}')).toEqual([400, any]);
    expect(await send('PATCH', '/plants/6', '{"name":"Agave"}')).toEqual(UNKNOWN);
  });

  test('deletes a plant, and answers 404 for it afterwards', async () => {
    await send('POST', '/plants', '{"id":7,"name":"Aloe"}');
    expect(await send('DELETE', '/plants/7')).toEqual([204, '']);
    expect(await send('DELETE', '/plants/7')).toEqual(UNKNOWN);
  });

  test('creates plants in a batch, and returns an answer for each plant', async () => {
    const batch = (...names: string[]) =>
      `[${names.map((name, index) => `{"id":${100 + index},"name":"${name}"}`).join()}]`;
    expect(await send('POST', '/plants/batch', batch('a', 'b'))).toEqual([200, '["created","created"]']);
    const creations = [200, '["replayed","conflict","created"]'];
    expect(await send('POST', '/plants/batch', batch('a', 'B', 'c'))).toEqual(creations);
    expect(await send('GET', '/plants/101')).toEqual([200, '{"name":"b"}']);
  });

  test('lists, page by page, all plants that have a given tag', async () => {
    const ids = [-9223372036854775808n, 0n, 9007199254740992n, 9223372036854775806n, 9223372036854775807n];
    for (const id of ids) await send('POST', '/plants', `{"id":${id},"name":"x","tag":"listed"}`);
    const pagesOf = async (limit: number): Promise<string[][]> => {
      const pages: string[][] = [];
      for (let after: string | undefined = ''; after !== undefined;) {
        const [status, text] = await send('GET', `/plants?limit=${limit}&tag=listed${after && `&after=${after}`}`);
        expect(status).toBe(200);
        pages.push([...text.matchAll(/"id":(-?\d+)/g)].map(([, id = '']) => id));
        after = /"next":(-?\d+)/.exec(text)?.[1];
      }
      return pages;
    };
    const texts = ids.map(String);
    expect(await pagesOf(2)).toEqual([texts.slice(0, 2), texts.slice(2, 4), texts.slice(4)]);
    expect(await pagesOf(5)).toEqual([texts]);
    expect(await send('GET', '/plants?tag=none')).toEqual([200, '{"plants":[]}']);
    expect(await send('GET', '/plants?limit=1')).toMatchObject([
      200,
      expect.stringContaining('"tag":"listed"}],"next"'),
    ]);
    expect(await send('GET', '/plants?limit=101')).toEqual([400, any]);
    expect(await send('GET', `/plants?after=${BIG}&limit=1`)).toEqual([200, expect.not.stringContaining(BIG)]);
  });

  test('adds a note only to a plant that exists, and deletes a plant that has a note', async () => {
    await send('POST', '/plants', '{"id":20,"name":"Aloe"}');
    expect(await send('POST', '/plants/20/notes', '{"text":"watered"}')).toEqual([204, '']);
    expect(await send('POST', '/plants/21/notes', '{"text":"watered"}')).toEqual(UNKNOWN);
    expect(await send('DELETE', '/plants/20')).toEqual([204, '']);
  });

  test('moves a plant with its notes to another id if that id is free, and not otherwise', async () => {
    await send('POST', '/plants', '{"id":30,"name":"Aloe","tag":"succulent"}');
    await send('POST', '/plants', '{"id":31,"name":"Ficus"}');
    await send('POST', '/plants/30/notes', '{"text":"watered"}');
    expect(await send('POST', '/plants/30/move', '{"id":31}')).toEqual([400, expect.stringContaining('40011')]);
    expect(await send('GET', '/plants/30')).toEqual([200, '{"name":"Aloe","tag":"succulent"}']);
    expect(await send('POST', '/plants/30/move', '{"id":9007199254740995}')).toEqual([204, '']);
    expect(await send('GET', '/plants/30')).toEqual(UNKNOWN);
    expect(await send('GET', '/plants/9007199254740995')).toEqual([200, '{"name":"Aloe","tag":"succulent"}']);
    expect(await send('POST', '/plants/30/move', '{"id":32}')).toEqual(UNKNOWN);
  });

  test('moves a plant for one of eight concurrent clients, and answers 404 to the other seven', async () => {
    await send('POST', '/plants', '{"id":40,"name":"Aloe"}');
    await send('POST', '/plants/40/notes', '{"text":"watered"}');
    const moves = Array.from({ length: 8 }, (_, index) => send('POST', '/plants/40/move', `{"id":${50 + index}}`));
    const statuses = (await Promise.all(moves)).map(([status]) => status);
    expect(statuses.toSorted()).toEqual([204, ...Array.from({ length: 7 }, () => 404)]);
    const found = await Promise.all(statuses.map((_, index) => send('GET', `/plants/${50 + index}`)));
    expect(found.map(([status]) => status)).toEqual(statuses.map((status) => (status === 204 ? 200 : 404)));
  });
});

test('with the recipe of a new column, the service replays old plants, and compares the new column of new plants', async () => {
  for (const [, file = '', diff = ''] of page('tables').matchAll(/^```diff\n\/\/ (\S+)\n(.*?)\n```$/gms)) {
    const side = (sign: string) =>
      diff
        .split('\n')
        .filter((line) => line.startsWith(' ') || line.startsWith(sign))
        .map((line) => line.slice(1))
        .join('\n');
    const before = new RegExp(`^${RegExp.escape(side('-'))}$`, 'm');
    expect(project.read(file)).toMatch(before);
    project.write(
      file,
      project.read(file).replace(before, () => side('+')),
    );
  }
  await expectGreen();
  for (const [, url] of ENGINES) {
    const service = await Extended.start(url);
    const create = (body: string) => service.send('POST', '/plants', body);
    expect(await create(`{"id":${BIG},"name":"Ginkgo","tag":"tree"}`)).toEqual([200, '{"name":"Ginkgo","tag":"tree"}']);
    const plant = `"name":"Ginkgo","height":${BIG}`;
    for (let times = 0; times < 2; times++) expect(await create(`{"id":1000,${plant}}`)).toEqual([200, `{${plant}}`]);
    expect(await create(`{"id":1000,${plant.replace(BIG, '9007199254740992')}}`)).toEqual([400, any]);
    await service.stop();
  }
});
