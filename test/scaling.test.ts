import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { MOST_BYTES, MOST_WAITING, PATIENCE_MS } from '../src/storage/batches.ts';
import { MAX } from '../src/http/connections.ts';
import { freePort } from './support/port.ts';
import { PostgresServer } from './support/postgres.ts';
import { createPlant, listening, plantStore, ROOT, start } from './support/service.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8').replaceAll('\n', ' ');

let server: PostgresServer;
beforeAll(async () => {
  server = await PostgresServer.create();
});
afterAll(() => server.remove());

describe('README on scaling out', () => {
  test('has two lines that start two instances on one PostgreSQL', async () => {
    const [, block = ''] = /### Scaling out .*?```sh (.*?)```/.exec(README) ?? [];
    const commands = block.trim().split(/(?<=npm start) /);
    expect(commands).toHaveLength(2);
    const url = server.url(await server.createDatabase());
    const instances = await Promise.all(
      commands.map(async (command) => {
        const ready = command
          .replace('postgres://plants:secret@127.0.0.1:5432/plants', url)
          .replace(/PORT=\d+/, `PORT=${String(await freePort())}`);
        expect(ready).toContain(url);
        return start('bash', ['--norc', '-c', `exec env ${ready}`], {}, ROOT);
      }),
    );
    const urls = await Promise.all(instances.map((instance) => listening(instance)));
    const [token = ''] = instances.flatMap(({ stderr }) => /plantstore_[\w-]{43}/.exec(stderr()) ?? []);
    const answers = [];
    for (const each of urls) {
      const response = await createPlant({ url: each, token }, '{"id":9007199254740993,"name":"Ginkgo"}');
      answers.push([response.status, response.headers.get('idempotent-replayed')]);
    }
    expect(answers).toEqual([
      [200, null],
      [200, 'true'],
    ]);
    for (const { child } of instances) child.kill('SIGTERM');
    expect(await Promise.all(instances.map(({ ended }) => ended))).toEqual([0, 0]);
  });

  test('says how many connections an instance holds', async () => {
    const database = await server.createDatabase();
    const { code } = await plantStore(['migrate'], { DATABASE_URL: server.url(database) });
    expect(code).toBe(0);
    const url = server.url(database, '?application_name=counted');
    const service = start('npm', ['start'], { DATABASE_URL: url, PORT: '0' }, ROOT);
    const [address] = await Promise.all([listening(service)]);
    const token = /plantstore_[\w-]{43}/.exec(service.stderr())?.[0] ?? '';
    const plants = Array.from({ length: 20 }, (_, id) => `{"id":${String(id)},"name":"Ginkgo"}`);
    await Promise.all(plants.map((plant) => createPlant({ url: address, token }, plant)));
    expect(await server.query("select pid from pg_stat_activity where application_name = 'counted'")).toHaveLength(3);
    expect(README).toContain('Each instance holds three connections');
    service.child.kill('SIGTERM');
    await service.ended;
  });

  test('says what keeps a service from starting', async () => {
    const careless = await PostgresServer.create({ fsync: 'off' });
    const refusal = await plantStore(['serve'], { DATABASE_URL: careless.url(), PORT: '0' });
    expect(refusal).toMatchObject({
      code: 1,
      stderr: `plant-store: PostgreSQL at 127.0.0.1:${String(careless.port)}/postgres has fsync = "off": the store needs on, to keep what it is given\n`,
    });
    await careless.remove();
    const latin = await server.createDatabase("encoding 'LATIN1' template template0");
    expect((await plantStore(['serve'], { DATABASE_URL: server.url(latin), PORT: '0' })).stderr).toMatch(
      /has server_encoding = "LATIN1": the store needs UTF8/,
    );
  });
});

test('README has the bounds of what may be under way', () => {
  const [MB, number] = [1024 * 1024, (count: number) => count.toLocaleString('en')];
  expect(README).toContain(`At most ${number(MAX.underWay)} requests that have arrived whole are under way`);
  expect(README).toContain(`at most ${number(MOST_WAITING)} plants or ${number(MOST_BYTES / MB)} MB of them wait`);
  expect(README).toContain(`none for longer than ${number(PATIENCE_MS / 1000)} s`);
  expect(README).toContain(`at most ${number(MAX.bodies / MB)} MB of bodies are on their way`);
  expect(README).toContain(`a create waits for it, for at most ${number(PATIENCE_MS / 1000)} s`);
});
