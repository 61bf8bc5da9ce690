import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runCommand } from '../../../test/support/service.ts';
import { temporaryFolder } from '../../../test/support/temporary.ts';
import { BANK, Client, ENGINES, newStore, newTransfer, startBank } from './client.ts';

const run = (store: string, ...args: readonly string[]) =>
  runCommand(args, { DATABASE_URL: store }, undefined, undefined, BANK.main);

/** Each account without the times, which an import makes anew. */
async function accountsIn(client: Client) {
  const accounts = await client.all('/accounts', 'accounts');
  return accounts.map(({ id, owner, currency, balance }) => ({ id, owner, currency, balance }));
}

test.each(ENGINES)(
  'an export of the accounts and the transfers makes the same balances in an empty store, on %s',
  async (engine) => {
    const [store, empty] = [await newStore(engine), await newStore(engine)];
    const client = new Client(await startBank(store));
    const accounts = [await client.open(9007199254740993n), await client.open(0n), await client.open(0n)];
    const other = await client.open(5n, 'JPY', 'Eve');
    await client.send('PATCH', `/accounts/${other}`, { owner: 'Grace' }, { 'If-Match': '*' });
    // The money goes round: each transfer needs the one before it, whose id is larger, and comes later in the file.
    const ids = Array.from({ length: 10 }, randomUUID).toSorted().toReversed();
    for (const [at, id] of ids.entries()) {
      const [from = '', to = ''] = [accounts[at % 3], accounts[(at + 1) % 3]];
      const { status } = await client.transfer({ ...newTransfer(from, to, 9007199254740993n), id });
      expect(status).toBe(201);
    }
    const folder = temporaryFolder();
    for (const table of ['accounts', 'transfers']) {
      const file = join(folder, `${table}.ndjson`);
      writeFileSync(file, (await run(store, 'export', '--table', table)).stdout);
      expect(await run(empty, 'import', file, '--table', table)).toMatchObject({ code: 0 });
    }
    // A repeated import stores nothing.
    const again = await run(empty, 'import', join(folder, 'transfers.ndjson'), '--table', 'transfers');
    expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('10 replayed') });
    const copy = new Client(await startBank(empty));
    expect(await accountsIn(copy)).toEqual(await accountsIn(client));
    expect(await copy.balanceOf(accounts[1] ?? '')).toBe(9007199254740993n);
    expect((await copy.all(`/accounts/${accounts[0] ?? ''}/transfers`, 'transfers')).length).toBe(7);
  },
);
