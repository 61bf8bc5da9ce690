import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { createPlant, listening, ROOT, start } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

test('V8 does not decide to allocate in the old generation, once the service is ready', async () => {
  const settings = { PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` };
  // V8 tells of what it decides, at scavenges, of which there are many with this.
  const options = ['--trace-pretenuring-statistics', '--max-semi-space-size=1'];
  const started = start(process.execPath, [...options, 'src/main.ts', 'serve'], settings, ROOT);
  const url = await listening(started);
  const token = /plantstore_[\w-]{43}/.exec(started.stderr())?.[0] ?? '';
  const decisions = () => started.stdout().match(/pretenuring: AllocationSite/g)?.length ?? 0;
  await createPlant({ url, token }, '{"id":1,"name":"x"}');
  const before = decisions();
  for (let sent = 0; sent < 5000; sent += 50) {
    await Promise.all(Array.from({ length: 50 }, () => createPlant({ url, token }, '{"id":1,"name":"x"}')));
  }
  started.child.kill('SIGTERM');
  expect(await started.ended).toBe(0);
  expect(before).toBeGreaterThan(0);
  expect(decisions() - before).toBe(0);
});
