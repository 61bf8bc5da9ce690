import { copyFileSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { freePort } from '../packages/trellis/test/support/port.ts';
import { blocks } from '../packages/trellis/test/support/readme.ts';
import { ROOT, start } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { until } from '../packages/trellis/test/support/until.ts';

const [line = ''] = blocks('observability', 'Log in files', 'sh');

/** Copies and truncates the log of a running service, as copytruncate of logrotate does, and returns both files. */
async function rotate(command: string) {
  const folder = temporaryFolder();
  const port = await freePort();
  const [log, copy] = [join(folder, 'plant-store.log'), join(folder, 'plant-store.log.1')];
  const environment = { PATH: `${join(ROOT, 'scripts')}:${process.env['PATH'] ?? ''}`, PORT: String(port) };
  writeFileSync(log, '');
  const service = start('bash', ['--norc', '-c', `exec ${command}`], environment, folder);
  await until(() => readFileSync(log, 'utf8').includes('"msg":"ready"'));
  const ask = async (path: string) => {
    await fetch(`http://127.0.0.1:${port}${path}`);
    await until(() => readFileSync(log, 'utf8').includes(`"path":"${path}"`));
  };
  await ask('/before');
  copyFileSync(log, copy);
  truncateSync(log);
  await ask('/after');
  service.child.kill('SIGTERM');
  await service.ended;
  return { before: readFileSync(copy, 'utf8'), after: readFileSync(log, 'utf8') };
}

test('the log that the command of docs/observability.md writes has no hole after logrotate has truncated it', async () => {
  const { before, after } = await rotate(line);
  expect(before).toContain('"path":"/before"');
  expect(after).toMatch(/^\{[^\0]*"path":"\/after"[^\0]*"msg":"stopped"\}\n$/);
});

test('a log that the service does not append to has a hole, as docs/observability.md says', async () => {
  expect((await rotate(line.replace('>>', '>'))).after).toMatch(/^\0+\{/);
});
