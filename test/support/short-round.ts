import { expect, test } from '@jest/globals';
import { testWith } from './skipping.ts';
import { recorded, type Suite, type Trial } from './trials.ts';

const SEED = 20_260_000;

/** Tests that a suite is recorded, and does a short round of its trials. */
export function testShortRound(suite: Suite, trials: readonly Trial[] = suite.trials): void {
  test('RESULTS.md has each row, and none that found a broken promise', () => {
    const rows = recorded(suite);
    expect([...rows.keys()]).toEqual(suite.trials);
    expect([...rows.values()].filter((line) => line.includes('BROKEN'))).toEqual([]);
  });

  for (const trial of trials) {
    testWith(trial.impossible, trial.cells.slice(0, 2).join(', '), async () => {
      // It says how many of something there were, and throws if a promise is broken.
      expect(await trial.run({ long: false, seed: SEED })).toMatch(/^[1-9][\d,]* [a-z]/);
    });
  }
}
