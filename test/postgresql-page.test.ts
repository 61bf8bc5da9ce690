import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../packages/trellis/test/support/port.ts';
import { sharedPostgres } from '../packages/trellis/test/support/postgres.ts';
import { blocks } from '../packages/trellis/test/support/readme.ts';
import { listening, ROOT, start } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { createPlant, plantStore, startPlantInstance } from './support.ts';

const server = await sharedPostgres();

test('a store in SQLite moves to PostgreSQL with the command of the manual, beside the service and after it', async () => {
  const url = server.url(await server.createDatabase());
  const folder = temporaryFolder();
  const DATABASE_URL = `sqlite:${join(folder, 'plants.db')}`;
  const [block = ''] = blocks('postgresql', 'From SQLite', 'sh');
  const command = block.replace('postgres://plants:secret@127.0.0.1:5432/plants', url);
  expect(command).toContain(url);
  const move = async () => {
    const line = command.replaceAll('scripts/plant-store', `'${join(ROOT, 'scripts/plant-store')}'`);
    const shell = start('bash', ['--norc', '-c', line], { DATABASE_URL }, folder);
    expect([await shell.ended, shell.stderr()]).toEqual([0, expect.any(String)]);
  };
  const service = await startPlantInstance({ DATABASE_URL });
  await createPlant(service, '{"id":9007199254740993,"name":"Ginkgo"}');
  await move();
  await createPlant(service, '{"id":-1,"name":"Ficus","tag":""}');
  await service.stop();
  await move();
  const { stdout } = await plantStore(['export'], { DATABASE_URL: url });
  expect(stdout).toBe('{"id":-1,"name":"Ficus","tag":""}\n{"id":9007199254740993,"name":"Ginkgo"}\n');
});

test('two instances on one PostgreSQL start with the two commands of the manual', async () => {
  const [block = ''] = blocks('postgresql', 'PostgreSQL', 'sh');
  const commands = block.trim().split('\n');
  expect(commands).toHaveLength(2);
  const url = server.url(await server.createDatabase());
  const instances = await Promise.all(
    commands.map(async (command) => {
      const ready = command
        .replace('postgres://plants:secret@127.0.0.1:5432/plants', url)
        .replace(/PORT=\d+/, `PORT=${await freePort()}`);
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
