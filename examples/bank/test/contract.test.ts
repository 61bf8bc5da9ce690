import { expect, test } from '@jest/globals';
import { derive, startOn } from 'trellis/testing';
import { errors } from '../generated/openapi.ts';
import { bank } from '../service/index.ts';
import { ENGINES, startBank } from './bank.ts';
import { Client, withAccounts } from './client.ts';
import { SEED } from './random.ts';

/** nightly/derived.test.ts sends more. */
test.each(ENGINES)(
  `requests derived from the contract get answers that the contract allows, on %s (TESTS_SEED=${SEED})`,
  async (engine) => {
    const { instance, ...service } = await startBank(engine);
    const client = new Client(service);
    const { counts, never } = await derive(instance, {
      conflict: 40911,
      requests: 1,
      samples: 3,
      seed: SEED,
      related: (operation, body) => withAccounts(operation, body, client),
    });
    expect(never).toEqual([]);
    const others = Object.keys(bank.operations).filter((id) => id !== 'openAccount');
    const valid = others.map((id) => `valid: ${id}`);
    const kinds = ['created', 'replayed', 'another content', 'refused', 'not JSON', 'a member twice', 'no body'];
    expect([...counts.keys()]).toEqual(expect.arrayContaining([...valid, ...kinds]));
  },
);

test('derive also tests records that need rows of another table, and creates these rows first', async () => {
  const records = { accounts: 'openAccount', transfers: 'transfer' } as const;
  // `derive` takes one error number of a conflict, for both tables.
  const transfer: typeof bank.operations.transfer = async (...given) => {
    const reply = await bank.operations.transfer(...given);
    const isConflict = reply.status === 409 && reply.body.error === 40914;
    return isConflict ? { status: 409, body: errors[40911] } : reply;
  };
  const service = { ...bank, records, operations: { ...bank.operations, transfer } };
  await using instance = await startOn('SQLite', service, { LOG_LEVEL: 'fatal' });
  const client = new Client({ url: instance.url, token: await instance.token() });
  const { counts } = await derive(instance, {
    conflict: 40911,
    requests: 1,
    samples: 2,
    related: (operation, body) => withAccounts(operation, body, client),
  });
  expect([...counts.keys()]).toEqual(expect.arrayContaining(['created', 'replayed', 'another content', 'refused']));
  expect(await client.all('/accounts', 'accounts')).not.toEqual([]);
});
