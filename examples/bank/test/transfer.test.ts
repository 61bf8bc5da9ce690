import { beforeAll, describe, expect, test } from '@jest/globals';
import { refusal } from './refusal.ts';
import { ENGINES, startBank } from './bank.ts';
import { Client, newTransfer } from './client.ts';

const UNKNOWN = '00000000-0000-0000-0000-000000000000';
const MAX = 2n ** 63n - 1n;

describe.each(ENGINES)('a transfer on %s', (engine) => {
  let url = '';
  let client: Client;
  beforeAll(async () => {
    const service = await startBank(engine);
    url = service.url;
    client = new Client(service);
  });
  const balances = (...ids: readonly string[]) => Promise.all(ids.map((id) => client.balanceOf(id)));

  test('moves money to the last cent, names its URL in Location, and is returned there', async () => {
    const [from, to] = [await client.open(9007199254740994n), await client.open(1n)];
    const transfer = { ...newTransfer(from, to, 9007199254740993n), reference: 'rent, “July”' };
    const { status, headers, body } = await client.transfer(transfer);
    expect([status, headers.has('idempotent-replayed')]).toEqual([201, false]);
    expect(body).toEqual({ ...transfer, at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/) });
    expect(await balances(from, to)).toEqual([1n, 9007199254740994n]);
    const place = new URL(headers.get('location') ?? '', `${url}/transfers`);
    const found = await client.get(place.pathname);
    expect([found.status, found.body]).toEqual([200, body]);
  });

  test('that is sent again gets the same answer, and moves nothing, also when the money is gone', async () => {
    const [from, to, other] = [await client.open(5n), await client.open(0n), await client.open(0n)];
    const transfer = newTransfer(from, to, 5n);
    const first = await client.transfer(transfer);
    await client.transfer(newTransfer(to, other, 5n));
    await client.send('DELETE', `/accounts/${from}`);
    const { status, headers, body } = await client.transfer(transfer);
    expect([status, headers.get('idempotent-replayed'), body]).toEqual([201, 'true', first.body]);
    expect(headers.get('location')).toBe(first.headers.get('location'));
    expect(await balances(from, to, other)).toEqual([0n, 0n, 5n]);
  });

  test('that is sent 50 times at once moves money once', async () => {
    const [from, to] = [await client.open(100n), await client.open(0n)];
    const transfer = newTransfer(from, to, 7n);
    const answers = await Promise.all(Array.from({ length: 50 }, () => client.insist(transfer)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(answers.map(({ body }) => body['at'])).size).toBe(1);
    expect(await balances(from, to)).toEqual([93n, 7n]);
  });

  test.each([{ amount: 2n }, { reference: 'another' }, { reference: '' }])(
    'with the id of another one is refused, and moves nothing: %p',
    async (change) => {
      const [from, to] = [await client.open(9n), await client.open(0n)];
      const transfer = newTransfer(from, to, 1n);
      await client.transfer(transfer);
      expect(await client.transfer({ ...transfer, ...change })).toEqual(refusal(40914));
      expect(await balances(from, to)).toEqual([8n, 1n]);
    },
  );

  test('is refused, with a number for each reason, and leaves no trace', async () => {
    const [rich, poor, full] = [await client.open(10n), await client.open(0n), await client.open(MAX)];
    const [dollars, closed] = [await client.open(10n, 'USD'), await client.open(0n)];
    await client.send('DELETE', `/accounts/${closed}`);
    const refused = [
      [newTransfer(rich, rich, 1n), 40915],
      [newTransfer(rich, UNKNOWN, 1n), 40916],
      [newTransfer(UNKNOWN, rich, 1n), 40916],
      [newTransfer(rich, closed, 1n), 40917],
      [newTransfer(closed, rich, 1n), 40917],
      [newTransfer(rich, dollars, 1n), 40918],
      [newTransfer(rich, poor, 11n), 40919],
      [newTransfer(poor, rich, 1n), 40919],
      [newTransfer(rich, full, 1n), 40920],
      [newTransfer(rich, poor, 0n), 40010],
      [newTransfer(rich, poor, -1n), 40010],
      [newTransfer(rich, poor, MAX + 1n), 40010],
    ] as const;
    for (const [transfer, error] of refused) {
      expect(await client.transfer(transfer)).toEqual(refusal(error));
      expect(await client.get(`/transfers/${transfer.id}`)).toEqual(refusal(40412));
    }
    expect(await balances(rich, poor, full, dollars)).toEqual([10n, 0n, MAX, 10n]);
    for (const id of [rich, poor, full]) expect(await client.all(`/accounts/${id}/transfers`, 'transfers')).toEqual([]);
  });

  test('that was refused may be sent again when the reason is gone', async () => {
    const [rich, from, to] = [await client.open(10n), await client.open(0n), await client.open(0n)];
    const transfer = newTransfer(from, to, 4n);
    expect(await client.transfer(transfer)).toEqual(refusal(40919));
    await client.transfer(newTransfer(rich, from, 4n));
    const { status, headers } = await client.transfer(transfer);
    expect([status, headers.has('idempotent-replayed')]).toEqual([201, false]);
    expect(await balances(rich, from, to)).toEqual([6n, 0n, 4n]);
  });

  test('may fill an account to the largest int64', async () => {
    const [full, from] = [await client.open(MAX - 3n), await client.open(4n)];
    expect((await client.transfer(newTransfer(from, full, 3n))).status).toBe(201);
    expect(await client.transfer(newTransfer(from, full, 1n))).toEqual(refusal(40920));
    expect(await balances(full, from)).toEqual([MAX, 1n]);
  });

  test('is in the lists of both accounts, from the newest', async () => {
    const [one, other, third] = [await client.open(100n), await client.open(100n), await client.open(100n)];
    const sent: unknown[] = [];
    for (let at = 0; at < 20; at++) {
      const [from, to] = at % 2 === 0 ? [one, other] : [other, one];
      sent.push((await client.transfer(newTransfer(from, to, BigInt(at + 1)))).body);
    }
    await client.transfer(newTransfer(third, other, 1n));
    const newestFirst = (list: readonly { readonly at: string; readonly id: string }[]) =>
      list.toSorted((a, b) => (a.at === b.at ? (a.id < b.id ? 1 : -1) : a.at < b.at ? 1 : -1));
    expect(await client.all(`/accounts/${one}/transfers`, 'transfers')).toEqual(newestFirst(sent as never));
    expect(await client.all(`/accounts/${other}/transfers`, 'transfers')).toHaveLength(21);
  });
});
