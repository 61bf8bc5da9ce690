import { expect, test } from '@jest/globals';
import { freePort } from '../packages/trellis/test/support/port.ts';
import { sharedPostgres } from '../packages/trellis/test/support/postgres.ts';
import { blocks } from '../packages/trellis/test/support/readme.ts';
import { listening, ROOT, start } from '../packages/trellis/test/support/service.ts';
import { createPlant } from './support.ts';

const server = await sharedPostgres();

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
