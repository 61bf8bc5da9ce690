import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { startService } from 'trellis/testing';
import { atEnd, ENGINES, run, startBank } from './bank.ts';
import { Client, MAIN, newTransfer } from './client.ts';

/** Jest ends a test that waits for too long. */
async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await sleep(20);
}

/** A server that gets notices of transfers, and answers them only while `takes` is true. */
async function ledger() {
  const told: string[] = [];
  const held: ServerResponse[] = [];
  const state = { takes: false };
  const server = createServer((request, response) => {
    void Array.fromAsync(request as AsyncIterable<Buffer>).then((parts) => {
      const { transfer } = JSON.parse(Buffer.concat(parts).toString()) as { readonly transfer: string };
      told.push(`${request.headers.authorization ?? ''} ${transfer}`);
      if (state.takes) response.writeHead(204).end();
      else held.push(response);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  atEnd(() => {
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/transfers`, told, state };
}

test.each(ENGINES)('the bank on %s sends a notice of each transfer that moved money', async (engine) => {
  const { told, state, url: NOTICE_URL } = await ledger();
  state.takes = true;
  const client = new Client(await startBank(engine, { NOTICE_URL, NOTICE_TOKEN: 'sesame' }));
  const [from, to] = [await client.open(100n), await client.open(0n)];
  const pay = (amount: bigint) => newTransfer(from, to, amount);
  const [first, refused, last] = [pay(60n), pay(1000n), pay(30n)];
  const statuses = [];
  for (const each of [first, refused, last]) statuses.push((await client.insist(each)).status);
  expect(statuses).toEqual([201, 409, 201]);
  await until(() => told.length === 2);
  expect(told.toSorted()).toEqual([first, last].map(({ id }) => `Bearer sesame ${id}`).toSorted());
});

test.each(ENGINES)('the bank on %s sends the notices that it had not sent when it was killed', async (engine) => {
  // This bank only makes the store and the token: it has no NOTICE_URL, so it sends no notices.
  const { databaseUrl: DATABASE_URL, token } = await startBank(engine);
  const { told, state, url: NOTICE_URL } = await ledger();
  const start = () => startService(MAIN, { DATABASE_URL, NOTICE_URL, NOTICE_TOKEN: 'sesame' });
  const killed = await start();
  const client = new Client({ url: killed.url, token });
  const [from, to] = [await client.open(100n), await client.open(0n)];
  const transfers = Array.from({ length: 5 }, () => newTransfer(from, to, 1n));
  for (const each of transfers) expect((await client.insist(each)).status).toBe(201);
  const due = transfers.map(({ id }) => `Bearer sesame ${id}`);
  // The first notice has arrived, and is not answered.
  await until(() => told.length > 0);
  await killed.stop('SIGKILL');
  const before = told.length;

  state.takes = true;
  const started = await start();
  await until(() => told.length === before + transfers.length);
  // The first notice comes again, as the bank got no answer to it.
  expect(told.slice(before).toSorted()).toEqual(due.toSorted());
  const last = newTransfer(from, to, 1n);
  await new Client({ url: started.url, token }).insist(last);
  await until(() => told.length === before + transfers.length + 1);
  state.takes = false;
  await new Client({ url: started.url, token }).insist(newTransfer(from, to, 1n));
  await until(() => told.length === before + transfers.length + 2);
  // The bank stops although its last notice is not answered.
  expect(await started.stop()).toBe(0);
  // A warning says that the store of a busy machine did not answer in time.
  expect(started.log.filter(({ level }) => level === 'error' || level === 'fatal')).toEqual([]);
});

test('the bank refuses a NOTICE_URL that is no URL, and does not print NOTICE_TOKEN', async () => {
  const { code, stdout, stderr } = await run(['config'], { NOTICE_URL: 'ledger', NOTICE_TOKEN: 'sesame' });
  expect([code, stderr]).toEqual([
    78,
    'bank: NOTICE_URL must be an address such as https://ledger.example/transfers, not "ledger"\n',
  ]);
  expect(stdout).toMatch(/^NOTICE_TOKEN +\(secret\) +the environment$/m);
});
