import { expect, test } from '@jest/globals';
import { derive, ENGINES } from '../../../../packages/trellis/test/support/derived.ts';
import { seedOr } from '../../../../packages/trellis/test/support/seed.ts';
import { BANK } from '../../lab/program.ts';

const REQUESTS = 2000;
const SEED = seedOr(Math.floor(Math.random() * 2 ** 31));

test.each(ENGINES)(
  `answers ${REQUESTS} requests derived from the contract as the contract says, on %s (TESTS_SEED=${SEED})`,
  async (engine) => {
    const { counts, never } = await derive(BANK, engine, {
      requests: REQUESTS,
      seed: SEED,
    });
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(REQUESTS);
    expect(never).toEqual([]);
  },
);
