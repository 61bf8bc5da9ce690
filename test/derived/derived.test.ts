import { expect, test } from '@jest/globals';
import { loadContract } from '../../src/contract/load.ts';
import { derive, ENGINES, seedOr } from './derive.ts';

/** Few; test/long/derived.test.ts sends many. */
const REQUESTS = 600;
const SEED = seedOr(20_260_000);

test.each(ENGINES)(
  `requests derived from the contract are answered as it says, on %s (DERIVED_SEED=${SEED})`,
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
