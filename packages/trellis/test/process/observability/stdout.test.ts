import { expect, test } from '@jest/globals';
import { ROOT, start } from '../../support/service.ts';

test('writeStdout waits between two tries to write to a full pipe', async () => {
  const script = `
    import { writeStdout } from './packages/trellis/src/observability/stdout.ts';
    const bytes = Buffer.alloc(65_536);
    while ((await writeStdout(process.stdout, bytes, 0, { ref: true })) > 0);
    const begunAt = performance.now();
    let tries = 1;
    while (performance.now() - begunAt < 500) {
      if ((await writeStdout(process.stdout, bytes, 0, { ref: true })) === 0) tries++;
    }
    console.error(tries);
    process.exit();`;
  const { child, ended, stderr } = start(process.execPath, ['--input-type=module', '-e', script], {}, ROOT);
  child.stdout?.pause();
  child.once('exit', () => child.stdout?.resume());
  expect(await ended).toBe(0);
  expect(Number(stderr())).toBeGreaterThan(1);
  expect(Number(stderr())).toBeLessThan(100);
});
