import { describe, expect, test } from '@jest/globals';
import { type Balances, isSerializable, type Operation } from './history.ts';
import { ENGINES, startBank } from './bank.ts';
import { Client, newTransfer } from './client.ts';
import { random, SEED } from './random.ts';

const transfer = (start: number, end: number, from: string, to: string, amount: bigint, moved = true): Operation => ({
  start,
  end,
  transfer: { from, to, amount },
  moved,
});
const read = (start: number, end: number, balances: Balances): Operation => ({ start, end, read: balances });

const OPENING = { a: 10n, b: 0n, c: 0n };
/** What three clients of a good bank see. */
const GOOD: Readonly<Record<string, Operation>> = {
  first: read(0, 1, { a: 10n, b: 0n, c: 0n }),
  pay: transfer(2, 6, 'a', 'b', 6n),
  early: read(3, 4, { a: 10n, b: 0n }),
  pass: transfer(5, 9, 'b', 'c', 4n),
  tooMuch: transfer(7, 8, 'a', 'c', 5n, false),
  late: read(10, 11, { a: 4n, b: 2n, c: 4n }),
  back: transfer(12, 15, 'c', 'a', 4n),
  again: transfer(13, 16, 'a', 'b', 8n),
  last: read(17, 18, { a: 0n, b: 10n, c: 0n }),
};
const isGood = (changes: Readonly<Record<string, Operation | undefined>>) =>
  isSerializable(
    OPENING,
    Object.values({ ...GOOD, ...changes }).filter((each) => each !== undefined),
  );

describe('the checker of histories', () => {
  test('accepts one whose operations fit into an order', () => {
    expect(isGood({})).toBe(true);
    expect(isGood({ early: read(3, 7, { a: 4n, b: 6n }), late: undefined })).toBe(true);
  });

  test.each<[string, Readonly<Record<string, Operation | undefined>>]>([
    ['a read of a cent too many', { late: read(10, 11, { a: 4n, b: 3n, c: 4n }) }],
    ['a transfer that is lost', { last: read(17, 18, { a: 4n, b: 2n, c: 4n }) }],
    ['a transfer that moved money twice', { extra: transfer(8, 9, 'a', 'b', 2n) }],
    ['a transfer that no client sent', { back: undefined }],
    ['a read of the past', { late: read(10, 11, { a: 10n, b: 0n, c: 0n }) }],
    ['a read of the future', { early: read(3, 4, { a: 4n, b: 2n, c: 4n }) }],
    ['a read between the two halves of a transfer', { early: read(3, 4, { a: 4n, b: 0n }) }],
    [
      'two reads that saw two transfers in different orders',
      {
        one: read(14, 14.5, { a: 8n, b: 2n, c: 0n }),
        other: read(14.6, 14.7, { a: 4n, b: 2n, c: 4n }),
      },
    ],
    ['a refusal although the money was there', { tooMuch: transfer(7, 8, 'a', 'c', 4n, false) }],
    ['a transfer without the money', { tooMuch: transfer(7, 8, 'a', 'c', 5n, true) }],
    ['a transfer in the other direction', { pass: transfer(5, 9, 'c', 'b', 4n) }],
    ['a transfer that was refused, and moved the money', { again: transfer(13, 16, 'a', 'b', 8n, false) }],
  ])('refuses %s', (_what, damage) => {
    expect(isGood(damage)).toBe(false);
  });
});

/** Clients, each of which sends one request after the other. */
const CLIENTS = 8;
const REQUESTS = 24;

describe.each(ENGINES)('on %s', (engine) => {
  test(`what ${CLIENTS} clients do at once looks as if they had done it one after the other (TESTS_SEED=${SEED})`, async () => {
    const client = new Client(await startBank(engine));
    const accounts = await Promise.all([30n, 0n, 0n].map((balance) => client.open(balance)));
    const opening = Object.fromEntries(accounts.map((id, at) => [id, at === 0 ? 30n : 0n]));
    const history: Operation[] = [];
    const recorded = async (work: () => Promise<Omit<Operation, 'start' | 'end'>>) => {
      const start = performance.now();
      const what = await work();
      history.push({ start, end: performance.now(), ...what });
    };
    const readAll = async () => {
      const { body } = await client.get('/accounts');
      const found = body['accounts'] as readonly { readonly id: string; readonly balance: bigint }[];
      return { read: Object.fromEntries(found.map(({ id, balance }) => [id, balance])) };
    };
    const move = async (next: () => number) => {
      const any = (among: readonly string[]) => among[Math.floor(next() * among.length)] ?? '';
      const from = any(accounts);
      const amount = BigInt(1 + Math.floor(next() * 20));
      const to = any(accounts.filter((id) => id !== from));
      const { status } = await client.insist(newTransfer(from, to, amount));
      return { transfer: { from, to, amount }, moved: status === 201 };
    };
    const one = async (next: () => number) => {
      for (let at = 0; at < REQUESTS; at++) await recorded(next() < 0.4 ? readAll : () => move(next));
    };
    await Promise.all(Array.from({ length: CLIENTS }, (_, index) => one(random(SEED + index))));
    await recorded(readAll);
    expect(history).toHaveLength(CLIENTS * REQUESTS + 1);
    const moves = history.filter(({ transfer }) => transfer !== undefined);
    // The history proves little without many transfers that moved money, and many that were refused.
    expect(moves.filter(({ moved }) => moved).length).toBeGreaterThan(10);
    expect(moves.filter(({ moved }) => moved === false).length).toBeGreaterThan(10);
    expect(isSerializable(opening, history)).toBe(true);
    // The checker must notice one cent more in a read.
    const at = Math.floor(history.length / 2) + history.slice(history.length / 2).findIndex((each) => each.read);
    const seen = history[at]?.read ?? {};
    const damaged = { ...seen, [accounts[0] ?? '']: (seen[accounts[0] ?? ''] ?? 0n) + 1n };
    const wrong = history.map((each, index) => (index === at ? { ...each, read: damaged } : each));
    expect(isSerializable(opening, wrong)).toBe(false);
  });
});
