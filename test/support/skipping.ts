import { describe } from '@jest/globals';

/** Tests that need what not every machine has. Where it is missing they are skipped, which is said aloud. */
export function describeWith(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) {
    describe(name, tests);
    return;
  }
  const loud = `NOT TESTED: ${name}; ${missing}`;
  // Jest tells the names of tests that were skipped only when it is asked to be verbose.
  process.stderr.write(`${loud}\n`);
  describe.skip(loud, tests);
}
