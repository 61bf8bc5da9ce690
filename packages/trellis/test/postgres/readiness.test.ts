import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { askOneAtATime, watchReadiness } from '../../src/observability/readiness.ts';
import { noSmallDisk, SmallDisk } from '../support/small-disk.ts';
import { inTime, timeOf } from '../support/in-time.ts';
import { adminUrl, untilSample } from '../support/metrics.ts';
import { sharedPostgres } from '../support/postgres.ts';
import { createItem, runCommand, startInstance } from '../support/service.ts';
import { testWith } from '../../../contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from '../support/until.ts';

const ITEM = '{"id":1,"name":"Ginkgo"}';
const statusOf = async (admin: string, path = '/readyz') => (await fetch(admin + path)).status;

/** A service with an admin listener, and a connection of another process to its database. */
async function startWatched() {
  const file = join(temporaryFolder(), 'items.db');
  const service = await startInstance({ DATABASE_URL: `sqlite:${file}`, ADMIN_PORT: '0' });
  return { service, admin: adminUrl(service), other: new DatabaseSync(file, { timeout: 5000 }) };
}

testWith(noSmallDisk, '/readyz and creates answer 503 while the disk of the store is full', async () => {
  const file = join(temporaryFolder(), 'items.db');
  const { stdout: token } = await runCommand(['token', 'create', 'app'], { DATABASE_URL: `sqlite:${file}` });
  const disk = new SmallDisk(file);
  const { url, admin } = await disk.listening();
  const statuses = async () => [await statusOf(admin), (await createItem({ url, token: token.trim() }, ITEM)).status];
  disk.fill(0);
  expect(await statuses()).toEqual([503, 503]);
  disk.makeRoom();
  expect(await statuses()).toEqual([200, 200]);
  disk.service.child.kill('SIGTERM');
  expect(await disk.service.ended).toBe(0);
});

testWith(
  noSmallDisk,
  '/readyz answers 503 while the disk has room for its own page, but not for the last item',
  async () => {
    const file = join(temporaryFolder(), 'items.db');
    const { stdout: token } = await runCommand(['token', 'create', 'app'], { DATABASE_URL: `sqlite:${file}` });
    const disk = new SmallDisk(file);
    const { url, admin } = await disk.listening();
    const large = JSON.stringify({ id: 2, name: '\u{1f33f}'.repeat(1000), tag: '\u{1f33f}'.repeat(200) });
    const create = async () => (await createItem({ url, token: token.trim() }, large)).status;
    disk.fill(8192);
    await until(async () => (await statusOf(admin)) === 200);
    expect([await create(), await statusOf(admin)]).toEqual([503, 503]);
    disk.makeRoom();
    await until(async () => (await statusOf(admin)) === 200);
    expect(await create()).toBe(200);
    disk.service.child.kill('SIGTERM');
    expect(await disk.service.ended).toBe(0);
  },
);

test('/readyz answers 200 when another process locks the store for half a second', async () => {
  const { service, admin, other } = await startWatched();
  // The store waits 2 s for the lock.
  await inTime(async () => {
    other.exec('begin immediate');
    const status = statusOf(admin);
    await sleep(500);
    other.exec('rollback');
    expect(await status).toBe(200);
  });
  await service.stop();
});

test('/readyz asks a store that another process locks once for all requests that wait', async () => {
  const { service, admin, other } = await startWatched();
  other.exec('begin immediate');
  await inTime(async () => {
    let statuses: number[] = [];
    const duration = await timeOf(async () => {
      statuses = await Promise.all(Array.from({ length: 20 }, () => statusOf(admin)));
    });
    expect(new Set(statuses)).toEqual(new Set([503]));
    // One query waits 2 s for the lock, and twenty would wait 40 s.
    expect(duration).toBeLessThan(10_000);
  });
  other.exec('rollback');
  expect(await statusOf(admin)).toBe(200);
  await service.stop();
});

test('/readyz answers 503 while the service cannot write the store, and /livez answers 200', async () => {
  const { service, admin, other } = await startWatched();
  expect(await (await fetch(`${admin}/readyz`)).text()).toBe('{"status":"ok"}');
  other.exec('alter table items rename to lost');
  expect([await statusOf(admin), await statusOf(admin, '/livez')]).toEqual([503, 200]);
  await service.stop();
});

test('/readyz answers 503 from SIGTERM until the last request is answered', async () => {
  await inTime(async () => {
    const { service, admin, other } = await startWatched();
    expect(await statusOf(admin)).toBe(200);
    // The store waits 2 s for the lock.
    other.exec('begin immediate');
    const created = createItem(service, ITEM);
    await untilSample(service, 'item_store_http_requests_in_flight', 1, 2000);
    const stopped = service.stop();
    // The public listener closes, and the admin listener does not.
    await until(() =>
      fetch(service.url).then(
        () => false,
        () => true,
      ),
    );
    expect([await statusOf(admin), await statusOf(admin, '/livez')]).toEqual([503, 200]);
    other.exec('rollback');
    expect((await created).status).toBe(200);
    expect(await stopped).toBe(0);
  });
});

test('item_store_ready follows the store, although no client asks /readyz', async () => {
  const { service, other } = await startWatched();
  await untilSample(service, 'item_store_ready', 1);
  other.exec('alter table items rename column tag to lost');
  await untilSample(service, 'item_store_ready', 0);
  expect(await statusOf(adminUrl(service))).toBe(503);
  other.exec('alter table items rename column lost to tag');
  await untilSample(service, 'item_store_ready', 1);
  expect(service.log().filter(({ msg }) => msg === 'not ready')).toHaveLength(1);
  await service.stop();
});

test('an instance is not ready after five seconds without an answer of the store, and asks only once meanwhile', async () => {
  const answers: boolean[] = [];
  const stop = new AbortController();
  let questions = 0;
  const hangs = Promise.withResolvers<undefined>();
  const ask = askOneAtATime(async () => {
    if (++questions === 2) await hangs.promise;
  });
  const watching = watchReadiness(ask, (ready) => answers.push(ready), stop.signal);
  await until(() => answers.length === 2);
  const late = 'the store has given no answer for 5 s';
  for (let client = 0; client < 3; client++) await expect(ask()).rejects.toThrow(late);
  expect([questions, answers]).toEqual([2, [true, false]]);
  hangs.resolve(undefined);
  await until(() => answers.length === 3);
  stop.abort();
  await watching;
  expect([questions, answers]).toEqual([3, [true, false, true, false]]);
});

test('/readyz and item_store_ready follow PostgreSQL without creates, when a column has another name', async () => {
  const server = await sharedPostgres();
  const database = await server.createDatabase();
  const service = await startInstance({ DATABASE_URL: server.url(database), ADMIN_PORT: '0' });
  await untilSample(service, 'item_store_ready', 1);
  expect(await statusOf(adminUrl(service))).toBe(200);
  await server.query('alter table items rename tag to gone', database);
  expect(await statusOf(adminUrl(service))).toBe(503);
  await untilSample(service, 'item_store_ready', 0);
  await server.query('alter table items rename gone to tag', database);
  expect(await statusOf(adminUrl(service))).toBe(200);
  await untilSample(service, 'item_store_ready', 1);
  await service.stop();
});

test('/readyz does not change the schema of a newer version', async () => {
  const { service, admin, other } = await startWatched();
  other.exec('pragma user_version = 99');
  expect(await statusOf(admin)).toBe(200);
  expect(other.prepare('pragma user_version').get()).toEqual({ user_version: 99 });
  await service.stop();
});
