import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { createPlant, ROOT, start } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

const TOKEN = 'a-token-that-was-provisioned-000001';

test('V8 does not decide to allocate in the old generation, once the service is ready', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'token'), TOKEN);
  const settings = {
    PORT: '0',
    TOKEN_FILE: join(folder, 'token'),
    DATABASE_URL: `sqlite:${join(folder, 'plants.db')}`,
  };
  // V8 tells of what it decides, at scavenges, of which there are many with this.
  const options = ['--trace-pretenuring-statistics', '--max-semi-space-size=1'];
  const { child, stdout, stderr, ended } = start(
    process.execPath,
    [...options, 'src/main.ts', 'serve'],
    settings,
    ROOT,
  );
  // Not line by line: V8 writes in between, and not in whole lines.
  while (!stdout().includes('"msg":"ready"')) {
    if (child.exitCode !== null) throw new Error(`the service has ended: ${stderr()}`);
    await sleep(10);
  }
  const url = /"listening":"([^"]+)"/.exec(stdout())?.[1] ?? '';
  const send = async (id: number) => {
    const response = await createPlant({ url, token: TOKEN }, `{"id":${id},"name":"x"}`);
    expect(await response.text()).toBe('{"name":"x"}');
  };
  await send(0);
  const decisions = () => stdout().match(/pretenuring: AllocationSite/g)?.length ?? 0;
  const before = decisions();
  for (let id = 1; id < 5000; id += 50) await Promise.all(Array.from({ length: 50 }, (_, index) => send(id + index)));
  child.kill('SIGTERM');
  expect(await ended).toBe(0);
  expect(before).toBeGreaterThan(0);
  expect(decisions() - before).toBe(0);
});
