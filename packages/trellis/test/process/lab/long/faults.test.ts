import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import { FAULTS } from '../../../../lab/faults/scenarios.ts';
import { testShortRound } from '../../../support/short-round.ts';

// The faults on SQLite have a test file of their own, which runs at the same time.
testShortRound(
  FAULTS,
  FAULTS.trials.filter((trial) => FAULTS.laneOf(trial) !== 'SQLite'),
);

test('RESULTS.md has a row for each fault on each engine', () => {
  const rows = readFileSync(FAULTS.results, 'utf8').matchAll(/^\| (.+?) \| (\w+) \|/gm);
  const named = Array.from(rows, ([, name = '', on = '']) => `${name} (${on})`);
  expect(named).toEqual(
    expect.arrayContaining(FAULTS.trials.map(({ cells: [name = '', on = ''] }) => `${name} (${on})`)),
  );
});
