import { expect, test } from '@jest/globals';
import { ENGINES, startBank } from './bank.ts';
import { Client, newTransfer } from './client.ts';
import { random, SEED } from './random.ts';

const CLIENTS = 32;
const TRANSFERS = 2;
const OPENING = 1000n;

test.each(ENGINES)(
  `${CLIENTS} clients on five accounts neither make nor lose money, and overdraw none, on %s (TESTS_SEED=${SEED})`,
  async (engine) => {
    const client = new Client(await startBank(engine));
    const accounts = await Promise.all(Array.from({ length: 5 }, () => client.open(OPENING)));
    const expected = new Map(accounts.map((id) => [id, OPENING]));
    // Not page by page: one answer is one moment.
    const balances = async () => {
      const found = await client.all('/accounts', 'accounts');
      return new Map(found.map(({ id, balance }) => [String(id), balance as bigint]));
    };
    let moved = 0;
    const send = async (next: () => number) => {
      const any = (among = accounts) => among[Math.floor(next() * among.length)] ?? '';
      for (let count = 0; count < TRANSFERS; count++) {
        const from = any();
        const amount = BigInt(1 + Math.floor(next() * 900));
        const transfer = newTransfer(from, any(accounts.filter((id) => id !== from)), amount);
        // Some clients are impatient, and send a transfer twice.
        const times = next() < 0.2 ? 2 : 1;
        const answers = await Promise.all(Array.from({ length: times }, () => client.insist(transfer)));
        for (const { status, body } of answers)
          if (status !== 201) expect([status, body['error']]).toEqual([409, 40919n]);
        // The first of two requests may be refused, and the second accepted.
        if (answers.some(({ status }) => status === 201)) {
          moved++;
          expected.set(from, (expected.get(from) ?? 0n) - amount);
          expected.set(transfer.to_account, (expected.get(transfer.to_account) ?? 0n) + amount);
        }
        // The other clients send meanwhile.
        const found = [...(await balances()).values()];
        expect(found.reduce((sum, each) => sum + each)).toBe(5n * OPENING);
        expect(found.every((each) => each >= 0n)).toBe(true);
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => send(random(SEED + index))));
    expect(moved).toBeGreaterThan(20);
    expect(await balances()).toEqual(expected);
    const lists = await Promise.all(accounts.map((id) => client.all(`/accounts/${id}/transfers`, 'transfers')));
    expect(lists.flat()).toHaveLength(2 * moved);
  },
);
