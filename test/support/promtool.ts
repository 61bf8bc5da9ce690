import { spawnSync } from 'node:child_process';
import { test } from '@jest/globals';

const PROMTOOL = 'promtool';

/** A test that needs Prometheus's own tool. Without it the test is skipped, which is said aloud. */
export function testWithPromtool(name: string, run: (promtool: string) => void | Promise<void>): void {
  if (spawnSync(PROMTOOL, ['--version']).status === 0) {
    test(name, () => run(PROMTOOL));
    return;
  }
  const loud = `NOT TESTED: ${name}; there is no ${PROMTOOL} (Debian has it in the package prometheus)`;
  // Jest tells the names of tests that were skipped only when it is asked to be verbose.
  process.stderr.write(`${loud}\n`);
  test.skip(loud, () => undefined);
}
