import { expect, test } from '@jest/globals';
import { loadContract } from '../../packages/trellis/src/contract/load.ts';
import { derive, ENGINES, seedOr } from '../../packages/trellis/test/support/derived/derive.ts';
import { PLANTS } from '../support.ts';
import { plants } from '../../src/index.ts';

const REQUESTS = 10_000;
const SEED = seedOr(Math.floor(Math.random() * 2 ** 31));

test.each(ENGINES)(
  `answers ${REQUESTS} requests derived from the contract as the contract says, on %s (DERIVED_SEED=${SEED})`,
  async (engine) => {
    const { counts, never } = await derive(PLANTS, await loadContract(plants.contract), engine, {
      requests: REQUESTS,
      seed: SEED,
    });
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(REQUESTS);
    expect(never).toEqual([]);
  },
);
