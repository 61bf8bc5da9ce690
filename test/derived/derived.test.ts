import { expect, test } from '@jest/globals';
import { loadContract } from '../../src/contract/load.ts';
import { derive, ENGINES, seedOr } from './derive.ts';

/** test/long/derived.test.ts sends more. */
const REQUESTS = 600;
const SEED = seedOr(20_260_000);

test.each(ENGINES)(
  `the service on %s answers requests derived from the contract as it says (DERIVED_SEED=${SEED})`,
  async (engine) => {
    const counts = await derive(await loadContract(), engine, { requests: REQUESTS, seed: SEED });
    expect([...counts.keys()]).toEqual(
      expect.arrayContaining([
        'created',
        'replayed',
        'another content',
        'refused',
        'not JSON',
        'a member twice',
        'no body',
      ]),
    );
    expect([...counts.values()].reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(REQUESTS);
  },
);
