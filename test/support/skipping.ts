import { describe, test } from '@jest/globals';

/** Tests that need what not every machine has. Where it is missing they are skipped, which is said aloud. */
export function describeWith(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) describe(name, tests);
  else describe.skip(aloud(name, missing), tests);
}

/** A test that needs such a thing. */
export function testWith(missing: string | undefined, name: string, run: () => void | Promise<void>): void {
  if (missing === undefined) test(name, run);
  else test.skip(aloud(name, missing), run);
}

/** Jest tells the names of tests that were skipped only when it is asked to be verbose. */
function aloud(name: string, missing: string): string {
  const loud = `NOT TESTED: ${name}; ${missing}`;
  process.stderr.write(`${loud}\n`);
  return loud;
}
