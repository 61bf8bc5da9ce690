import { spawnSync } from 'node:child_process';
import { testWith } from '../../../contract/test/support/skipping.ts';

const PROMTOOL = 'promtool';
const isThere = spawnSync(PROMTOOL, ['--version']).status === 0;

/** A test that needs promtool, a program of Prometheus. */
export function testWithPromtool(name: string, run: (promtool: string) => void | Promise<void>): void {
  testWith(isThere ? undefined : `there is no ${PROMTOOL} (Debian has it in the package prometheus)`, name, () =>
    run(PROMTOOL),
  );
}
