import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { MAX } from '../../../src/http/bounds.ts';
import { Crowd } from '../../support/crowd.ts';
import { inTime, timeOf } from '../../support/in-time.ts';
import { adminUrl, logged, sample, samples, scrape, untilSample } from '../../support/metrics.ts';
import { PostgresServer, sharedPostgres } from '../../support/postgres.ts';
import { byHand, JSON_TYPE } from '../../support/raw.ts';
import { createItem, type Instance, startInstance } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

const ITEM = '{"id":1,"name":"x"}';
const newFile = () => join(temporaryFolder(), 'items.db');

/** Starts a service with a token of TOKEN_FILE, which the service checks without its store. */
async function provisioned(url: string): Promise<Instance> {
  const file = join(temporaryFolder(), 'token');
  const token = 'a-token-that-was-provisioned-000001';
  writeFileSync(file, token);
  return { ...(await startInstance({ DATABASE_URL: url, ADMIN_PORT: '0', TOKEN_FILE: file })), token };
}

test('metrics show requests in flight and waiting items, and count the failures of the store', async () => {
  await inTime(async () => {
    const file = newFile();
    const service = await provisioned(`sqlite:${file}`);
    const create = async (id: number) => (await createItem(service, `{"id":${id},"name":"x"}`)).status;
    expect(await create(1)).toBe(200);
    // The start has stored a token.
    const begun = Number(sample(await scrape(service), 'item_store_batch_writes_count'));
    using other = new DatabaseSync(file, { timeout: 5000 });
    other.exec('begin immediate');
    // The store waits 2 s for the lock.
    const first = create(2);
    await untilSample(service, 'item_store_http_requests_in_flight', 1, 2000);
    const rest = [create(3), create(4)];
    const text = await untilSample(service, 'item_store_waiting_writes', 2, 2000);
    expect(sample(text, 'item_store_http_requests_in_flight')).toBe(3);
    expect(sample(text, 'item_store_batch_writes_count')).toBe(begun);
    expect(await first).toBe(503);
    other.exec('rollback');
    expect(await Promise.all(rest)).toEqual([200, 200]);
    other.exec('alter table items rename to lost');
    expect(await create(5)).toBe(500);
    await logged(service, 5);
    const after = await scrape(service);
    expect(samples(after, 'item_store_store_errors_total')).toEqual({ unavailable: 1, failed: 1 });
    expect(samples(after, 'item_store_creations_total')).toMatchObject({
      'items created': 3,
      'items replayed': 0,
      'items conflict': 0,
    });
    expect(samples(after, 'item_store_batch_writes_bucket')).toMatchObject({ 1: begun + 2, 2: begun + 3 });
    expect(sample(after, 'item_store_batch_writes_sum')).toBe(begun + 4);
    // The batch that waited for the lock took longer than a second.
    const within = samples(after, 'item_store_commit_duration_seconds_bucket');
    expect([within['1'], within['+Inf']]).toEqual([begun + 2, begun + 3]);
    expect(samples(after, 'item_store_http_requests_total')).toMatchObject({
      'createItem 200': 3,
      'createItem 500': 1,
      'createItem 503': 1,
    });
    expect(sample(after, 'item_store_waiting_writes')).toBe(0);
    await service.stop();
  });
});

test('metrics count the requests that the service refuses because too many others are under way', async () => {
  const file = newFile();
  const service = await provisioned(`sqlite:${file}`);
  await createItem(service, ITEM);
  using other = new DatabaseSync(file, { timeout: 5000 });
  other.exec('begin immediate');
  using crowd = new Crowd(service);
  const { HOST, AUTH, post } = byHand(service);
  const create = post(HOST, AUTH, JSON_TYPE, `Content-Length: ${ITEM.length}`) + ITEM;
  for (const socket of await crowd.join(MAX.underWay + 10)) socket.write(create);
  const refused = () => service.log().filter(({ status }) => status === 503);
  await until(() => refused().length);
  other.exec('rollback');
  await logged(service, MAX.underWay + 11);
  const text = await untilSample(service, 'item_store_http_requests_in_flight', 0);
  expect(samples(text, 'item_store_http_requests_total')['createItem 503']).toBe(refused().length);
  // The service refuses these requests before they reach the store.
  expect(samples(text, 'item_store_store_errors_total')['failed']).toBe(0);
  await service.stop();
});

test('the service answers /metrics at once while its store is unavailable, and counts the requests that fail', async () => {
  const away = await PostgresServer.create();
  const url = away.url(await away.createDatabase());
  // This service must look up the token in its store, and so fails before the operation.
  const asking = await startInstance({ DATABASE_URL: url, ADMIN_PORT: '0' });
  const service = await provisioned(url);
  await away.stop();
  const failing = createItem(service, ITEM);
  await untilSample(service, 'item_store_http_requests_in_flight', 1);
  await inTime(async () => {
    expect(await timeOf(() => scrape(service))).toBeLessThan(1000);
  });
  expect((await fetch(`${adminUrl(service)}/readyz`)).status).toBe(503);
  expect([(await failing).status, (await createItem(asking, ITEM)).status]).toEqual([503, 503]);
  for (const each of [service, asking]) {
    const text = await untilSample(each, 'item_store_http_requests_in_flight', 0);
    // The metrics do not count the failure of /readyz.
    expect(samples(text, 'item_store_store_errors_total')).toEqual({ unavailable: 1, failed: 0 });
    await each.stop();
  }
  await away.remove();
});

test('the log says each cause of a failure once, in the message and in the stack', async () => {
  const file = newFile();
  const onSqlite = await provisioned(`sqlite:${file}`);
  using other = new DatabaseSync(file, { timeout: 5000 });
  other.exec('begin immediate');
  const server = await sharedPostgres();
  const database = await server.createDatabase();
  const onPostgres = await provisioned(server.url(database));
  await server.query('alter table items rename to gone', database);
  const cases = [
    [onSqlite, 'SQLite cannot do this at the moment: ', 'database is locked'],
    [
      onPostgres,
      'lacks a table of the store: make it again, or restore a backup: ',
      'SQLSTATE 42P01: relation "items" does not exist',
    ],
  ] as const;
  for (const [service, beginning, cause] of cases) {
    expect((await createItem(service, ITEM)).status).toBe(503);
    const [line] = await until(() => {
      const lines = service.log().filter(({ msg }) => msg === 'request failed');
      return lines.length > 0 && lines;
    });
    const { message, stack } = line?.['err'] as { message: string; stack: string };
    expect(message.endsWith(beginning + cause)).toBe(true);
    expect([message, stack].map((text) => text.split(cause).length - 1)).toEqual([1, 1]);
    expect(line?.['err']).not.toHaveProperty('exitCode');
    expect(stack).toMatch(/^StoreUnavailable: .*\n {4}at [^]*\ncaused by: \w+\n {4}at /);
    await service.stop();
  }
});
