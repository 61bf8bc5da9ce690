import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { loadContract } from '../../../src/framework/contract/load.ts';
import { startService } from '../../support/service.ts';
import { temporaryFolder } from '../../support/temporary.ts';
import { until } from '../../support/until.ts';
import { Checker, CREATE } from './check.ts';
import { derive, ENGINES, seedOr } from './derive.ts';

/** test/plants/long/derived.test.ts sends more. */
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

test('repeats a derived request that the service cannot take at the moment, and judges the answer that follows', async () => {
  const path = join(temporaryFolder(), 'plants.db');
  const service = await startService({ DATABASE_URL: `sqlite:${path}` });
  const contract = await loadContract();
  const operation = contract.operations.find(({ id }) => id === CREATE);
  if (operation === undefined) throw new Error(`the contract has no operation ${CREATE}`);
  const body = { mediaType: 'application/json', text: '{"id":1,"name":"x"}' };
  const wire = { sent: { path: operation.path, query: '', headers: {} }, body };
  const checker = new Checker(contract, service);
  using other = new DatabaseSync(path);
  other.exec('begin immediate');
  const valid = checker.valid(operation, { id: 1n, name: 'x' }, [wire, wire]);
  await Promise.race([valid, until(() => service.log().some(({ status }) => status === 503))]);
  other.exec('rollback');
  await valid;
  expect(Object.fromEntries(checker.counts)).toEqual({ created: 1, replayed: 1 });
  await service.stop();
});
