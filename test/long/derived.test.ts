import { expect, test } from '@jest/globals';
import { derive, ENGINES, seedOr } from '../derived/derive.ts';
import { Derivation } from '../derived/requests.ts';
import { YAML } from '../support/app.ts';

const REQUESTS = 10_000;
const SEED = seedOr(Math.floor(Math.random() * 2 ** 31));

test.each(ENGINES)(
  `${REQUESTS} requests derived from the contract are answered as it says, on %s (DERIVED_SEED=${SEED})`,
  async (engine) => {
    const counts = await derive(new Derivation(YAML), engine, { requests: REQUESTS, seed: SEED });
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(REQUESTS);
  },
);
