import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { ROOT, start, startService } from './support/service.ts';

/** A service whose log nobody reads any more, and which has more of it than a pipe holds. */
async function stalledService() {
  const service = await startService();
  service.child.stdout?.pause();
  for (let round = 0; round < 200; round++) {
    const path = `${service.url}/${'x'.repeat(200)}`;
    await Promise.all(Array.from({ length: 20 }, async () => (await fetch(path)).arrayBuffer()));
  }
  await sleep(1000);
  return service;
}

test.each([
  ['within 10 s by one signal', 1, 10_000],
  ['at once by a second one', 2, 3000],
])('a service whose log nobody reads answers, and is gone %s', async (_, signals, withinMs) => {
  const { child } = await stalledService();
  const gone = once(child, 'exit').then(() => performance.now());
  const begun = performance.now();
  child.kill('SIGTERM');
  if (signals > 1) await sleep(1200);
  if (signals > 1) child.kill('SIGTERM');
  const late = AbortSignal.timeout(withinMs + 5000);
  late.addEventListener('abort', () => child.kill('SIGKILL'));
  expect((await gone) - begun).toBeLessThan(withinMs);
});

test('a log that nobody reads does not fill the memory', async () => {
  const script = `
    import { createLog } from './src/log.ts';
    const log = createLog('info');
    const line = { path: 'x'.repeat(1000) };
    for (let round = 0; round < 120; round++) {
      for (let count = 0; count < 1000; count++) log.request(line);
      await new Promise((resolve) => setTimeout(resolve, 15));
    }
    gc();
    console.error(process.memoryUsage().rss, log.stalled());
    process.kill(process.pid, 'SIGKILL');`;
  const { child, ended, stderr } = start(
    process.execPath,
    ['--expose-gc', '--input-type=module', '-e', script],
    {},
    ROOT,
  );
  child.stdout?.pause();
  await once(child, 'exit');
  child.stdout?.resume();
  await ended;
  const [rss, stalled] = stderr().trim().split(' ');
  expect(stalled).toBe('true');
  expect(Number(rss) / 2 ** 20).toBeLessThan(160);
});
