import { describe, test } from '@jest/globals';

/** Tests that need something which some machines lack. There they are skipped, with a line on stderr. */
export function describeWith(missing: string | undefined, name: string, tests: () => void): void {
  if (missing === undefined) describe(name, tests);
  else describe.skip(aloud(name, missing), tests);
}

/** As `describeWith`, for one test. */
export function testWith(missing: string | undefined, name: string, run: () => void | Promise<void>): void {
  if (missing === undefined) test(name, run);
  else test.skip(aloud(name, missing), run);
}

/** Without --verbose, Jest does not print the names of skipped tests. */
function aloud(name: string, missing: string): string {
  const loud = `NOT TESTED: ${name}; ${missing}`;
  process.stderr.write(`${loud}\n`);
  return loud;
}
