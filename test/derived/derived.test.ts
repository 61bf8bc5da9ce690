import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { loadContract } from '../../packages/contract/src/load.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { until } from '../../packages/trellis/test/support/until.ts';
import { Checker } from '../../packages/trellis/testing/derived/check.ts';
import { judgeOf } from '../../packages/trellis/test/support/judge.ts';
import { derive, ENGINES } from '../../packages/trellis/test/support/derived.ts';
import { seedOr } from '../../packages/trellis/test/support/seed.ts';
import { plants } from '../../src/index.ts';
import { PLANTS, startPlantInstance } from '../support.ts';

const SEED = seedOr(20_260_000);

/** test/nightly/derived.test.ts sends all, and more. */
test.each(ENGINES)(
  `the service answers requests derived from the contract as the contract says, on %s (TESTS_SEED=${SEED})`,
  async (engine) => {
    const { counts, never } = await derive(PLANTS, engine, { requests: 1, samples: 12, seed: SEED });
    const kinds = ['created', 'replayed', 'another content', 'refused', 'not JSON', 'a member twice', 'no body'];
    expect([...counts.keys()]).toEqual(expect.arrayContaining(kinds));
    expect(never).toEqual([]);
  },
);

test('the checker repeats a derived request that gets 503, and judges the answer to the repetition', async () => {
  const path = join(temporaryFolder(), 'plants.db');
  const service = await startPlantInstance({ DATABASE_URL: `sqlite:${path}` });
  const contract = await loadContract(plants.contract);
  const operation = contract.operations.find(({ id }) => id === plants.records.plants);
  if (operation === undefined) throw new Error(`the contract has no operation that creates`);
  const body = { mediaType: 'application/json', text: '{"id":1,"name":"x"}' };
  const wire = { sent: { path: operation.path, query: '', headers: {} }, body };
  const checker = new Checker(contract, { ...PLANTS, url: service.url, token: service.token, judgeOf });
  using other = new DatabaseSync(path);
  other.exec('begin immediate');
  const valid = checker.valid(operation, { id: 1n, name: 'x' }, [wire, wire]);
  await Promise.race([valid, until(() => service.log().some(({ status }) => status === 503))]);
  other.exec('rollback');
  await valid;
  expect(Object.fromEntries(checker.counts)).toEqual({ created: 1, replayed: 1 });
  await service.stop();
});
