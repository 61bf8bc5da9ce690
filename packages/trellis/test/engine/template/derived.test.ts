import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { derive, ENGINES } from '../../support/derived.ts';
import { seedOr } from '../../support/seed.ts';
import { service } from '../../../template/service/index.ts';

const PROGRAM = {
  service,
  main: join(import.meta.dirname, '../../../template/main.ts'),
  path: '/notes',
  conflict: 40901,
};
const SEED = seedOr(20_260_200);

test.each(ENGINES)(
  `the service answers requests derived from the contract as the contract says, on %s (TESTS_SEED=${SEED})`,
  async (engine) => {
    const { counts, never } = await derive(PROGRAM, engine, { requests: 1, samples: 12, seed: SEED });
    expect(never).toEqual([]);
    // Only createNote has a body.
    expect(counts.get('not JSON')).toBeLessThanOrEqual(12);
  },
);
