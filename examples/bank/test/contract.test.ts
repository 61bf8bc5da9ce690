import { expect, test } from '@jest/globals';
import { loadContract } from '../../../packages/trellis/src/contract/load.ts';
import { derive, ENGINES } from '../../../packages/trellis/test/support/derived.ts';
import { seedOr } from '../../../packages/trellis/test/support/seed.ts';
import { bank } from '../service/index.ts';
import { BANK } from './client.ts';

const contract = await loadContract(bank.contract);
const SEED = seedOr(20_260_100);

/** nightly/derived.test.ts sends more. */
test.each(ENGINES)(
  `requests derived from the contract get answers that it allows, on %s (TESTS_SEED=${SEED})`,
  async (engine) => {
    const { counts, never } = await derive(BANK, engine, { requests: 1, samples: 12, seed: SEED });
    expect(never).toEqual([]);
    const others = contract.operations.filter(({ id }) => id !== 'openAccount');
    const valid = others.map(({ id }) => `valid: ${id}`);
    const kinds = ['created', 'replayed', 'another content', 'refused', 'not JSON', 'a member twice', 'no body'];
    expect([...counts.keys()]).toEqual(expect.arrayContaining([...valid, ...kinds]));
  },
);
