import { expect, test } from '@jest/globals';
import { testWith } from '../../../contract/test/support/skipping.ts';
import { recorded, type Suite, type Trial } from './trials.ts';

const SEED = 20_260_000;

/** Tests that RESULTS.md has all trials of a suite, and runs a short round of some. */
export function testShortRound(suite: Suite, trials: readonly Trial[] = suite.trials): void {
  test('RESULTS.md has a row for each trial, and none reports a broken promise', () => {
    const rows = recorded(suite);
    expect([...rows.keys()]).toEqual(suite.trials);
    expect([...rows.values()].filter((line) => line.includes('BROKEN'))).toEqual([]);
  });

  for (const trial of trials) {
    testWith(trial.impossible, trial.cells.slice(0, 2).join(', '), async () => {
      // The outcome begins with a count. A broken promise would throw.
      expect(await trial.run({ long: false, seed: SEED })).toMatch(/^[1-9][\d,]* [a-z]/);
    });
  }
}
