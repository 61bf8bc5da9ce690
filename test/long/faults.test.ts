import { expect, test } from '@jest/globals';
import { FAULTS } from '../faults/scenarios.ts';
import { page } from '../support/readme.ts';
import { testShortRound } from '../support/short-round.ts';

testShortRound(FAULTS);

test('README has each row', () => {
  const rows = page('README')
    .split('\n')
    .map((line) => line.split('|').map((cell) => cell.trim()));
  const named = rows.flatMap(([, name = '', on = '']) => on.split(', ').map((engine) => `${name} (${engine})`));
  expect(named).toEqual(
    expect.arrayContaining(FAULTS.trials.map(({ cells: [name = '', on = ''] }) => `${name} (${on})`)),
  );
});
