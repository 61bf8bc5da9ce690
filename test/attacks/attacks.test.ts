import { describe, expect, test } from '@jest/globals';
import { testWith } from '../support/skipping.ts';
import { MATRIX } from './matrix.ts';
import { recorded } from './report.ts';
import { attackOnce, IMPOSSIBLE } from './round.ts';

test('RESULTS.md has the attacks of the matrix, and none that the service does not withstand', () => {
  const rows = recorded();
  expect([...rows.keys()]).toEqual(MATRIX.map(({ name }) => name));
  for (const { now } of rows.values()) expect(now).toMatch(/^[\d,]+ creates, p99 [\d,]+ ms, peak \d+ MB$/);
});

/** The short round; `npm run test:attacks` is the long one. */
describe('honest clients are served while each of many clients', () => {
  for (const attack of MATRIX.filter(({ inTests }) => inTests)) {
    testWith(IMPOSSIBLE, attack.name, async () => {
      expect((await attackOnce(attack, 'short')).faults).toEqual([]);
    });
  }
});
