import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { ENGINES, run as runCommand, startBank, temporaryFolder } from './bank.ts';
import { Client, newTransfer } from './client.ts';

const run = (store: string, ...args: readonly string[]) => runCommand(args, { DATABASE_URL: store });

test('an import opens the accounts of an export, as they were opened, on the other engine', async () => {
  const [one, other] = [await startBank('SQLite'), await startBank('PostgreSQL')];
  const client = new Client(one);
  const [from, to] = [await client.open(9007199254740993n), await client.open(0n)];
  expect((await client.transfer(newTransfer(from, to, 9007199254740993n))).status).toBe(201);
  const file = join(temporaryFolder(), 'accounts.ndjson');
  writeFileSync(file, (await run(one.databaseUrl, 'export')).stdout);
  expect(await run(other.databaseUrl, 'import', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('2 created'),
  });
  const copy = new Client(other);
  expect([await copy.balanceOf(from), await copy.balanceOf(to)]).toEqual([9007199254740993n, 0n]);
});

test.each(ENGINES)('remove names what keeps an account with transfers in the store, on %s', async (engine) => {
  const service = await startBank(engine);
  const client = new Client(service);
  const [from, to] = [await client.open(5n), await client.open(0n)];
  expect((await client.transfer(newTransfer(from, to, 5n))).status).toBe(201);
  const stderr = `bank: other rows refer to the row ${from} of accounts: remove these first\n`;
  expect(await run(service.databaseUrl, 'remove', from)).toEqual({ code: 1, stdout: '', stderr });
});
