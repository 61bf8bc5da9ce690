import { connect } from 'node:net';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { logged, sample, samples, scrape, untilSample } from '../../support/metrics.ts';
import { type Postgres, sharedPostgres } from '../../support/postgres.ts';
import { byHand, JSON_TYPE, sendRaw } from '../../support/raw.ts';
import { createItem, runCommand, startInstance } from '../../support/service.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { noSmallDisk, SmallDisk } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { items, LAYOUT } from '../../services/items/index.ts';
import packageJson from '../../../package.json' with { type: 'json' };
import { buildOf } from '../../../src/instance/build.ts';
import { metricsOf } from '../../../src/observability/metrics.ts';
import { startApp } from '../../support/app.ts';

let server: Postgres;
beforeAll(async () => {
  server = await sharedPostgres();
});

const newFile = () => join(temporaryFolder(), 'items.db');
const start = (url: string) => startInstance({ DATABASE_URL: url, ADMIN_PORT: '0' });

const ITEM = '{"id":1,"name":"x"}';
const OUTCOMES = ['created', 'replayed', 'conflict'];

/** Returns the number of requests for createItem, and of requests for no operation of the contract. */
function requestsIn(text: string): Record<string, number> {
  const all = Object.entries(samples(text, 'item_store_http_requests_total'));
  return Object.fromEntries(all.filter(([labels]) => /^(createItem|none) /.test(labels)));
}

describe.each(['sqlite', 'postgres'])('on %s', (engine) => {
  test('metrics count each request, item and batch once, by its outcome', async () => {
    const url = engine === 'sqlite' ? `sqlite:${newFile()}` : server.url(await server.createDatabase());
    const service = await start(url);
    const outside = [400, 401, 403, 404, 405, 408, 414, 429, 431, 500, 501, 503, 505].map((status) => `none ${status}`);
    const inside = [200, 400, 401, 403, 429, 500, 503].map((status) => `createItem ${status}`);
    const requests = Object.fromEntries([...outside, ...inside].map((labels) => [labels, 0]));
    const before = await scrape(service);
    expect(requestsIn(before)).toEqual(requests);
    const tables = Object.keys(items.tables);
    expect(samples(before, 'item_store_creations_total')).toEqual(
      Object.fromEntries(tables.flatMap((table) => OUTCOMES.map((outcome) => [`${table} ${outcome}`, 0]))),
    );
    // The start has stored a token.
    const begun = Number(sample(before, 'item_store_commit_duration_seconds_count'));

    for (const body of [ITEM, ITEM, ITEM, '{"id":1,"name":"y"}', '{"id":2,"name":"x"}', '{}', 'none'])
      await (await createItem(service, body)).text();
    await (await createItem({ ...service, token: 'none' }, ITEM)).text();
    for (const path of ['/docs/', '/nothing', '/nothing?id=1', '/openapi.json'])
      await (await fetch(service.url + path)).text();
    await (await fetch(`${service.url}/docs/`, { method: 'POST' })).text();
    const { HOST, AUTH } = byHand(service);
    await sendRaw(service.url, 'NONSENSE\r\n\r\n');
    await sendRaw(service.url, `GET / HTTP/1.1\r\n${HOST}\r\n${AUTH}${'x'.repeat(20_000)}\r\n\r\n`);

    const lines = await logged(service, 15);
    const text = await scrape(service);
    expect(requestsIn(text)).toEqual({
      ...requests,
      'createItem 200': 4,
      'createItem 400': 3,
      'createItem 401': 1,
      'none 200': 2,
      'none 400': 1,
      'none 404': 2,
      'none 405': 1,
      'none 431': 1,
    });
    expect(samples(text, 'item_store_creations_total')).toMatchObject({
      'items created': 2,
      'items replayed': 2,
      'items conflict': 1,
      'kinds created': 0,
    });
    expect(samples(text, 'item_store_store_errors_total')).toEqual({ unavailable: 0, failed: 0 });
    expect(sample(text, 'item_store_http_requests_in_flight')).toBe(0);
    expect(sample(text, 'item_store_waiting_writes')).toBe(0);
    // The service counts its items again after a second.
    expect(await untilSample(service, 'item_store_items', 2)).toContain('item_store_items 2');
    expect(sample(text, 'item_store_batch_writes_count')).toBe(begun + 5);
    expect(sample(text, 'item_store_batch_writes_sum')).toBe(begun + 5);
    expect(samples(text, 'item_store_batch_writes_bucket')).toMatchObject({ 1: begun + 5, '+Inf': begun + 5 });
    expect(sample(text, 'item_store_commit_duration_seconds_count')).toBe(begun + 5);
    expect(samples(text, 'item_store_build_info')).toEqual({
      [`${packageJson.version} ${LAYOUT.version} ${buildOf(items).commit} ${process.versions.node} ${engine}`]: 1,
    });

    // The service measures no duration of a request that Node's parser refuses.
    const name = 'item_store_http_request_duration_seconds';
    expect(samples(text, `${name}_count`)).toMatchObject({ createItem: 8, none: 5 });
    const seconds = (operation: unknown) =>
      lines.filter((line) => line['operation'] === operation).reduce((sum, { ms = 0 }) => sum + Number(ms), 0) / 1000;
    expect(samples(text, `${name}_sum`)).toMatchObject({
      createItem: expect.closeTo(seconds('createItem'), 4),
      none: expect.closeTo(seconds(undefined), 4),
    });
    expect(sample(text, 'item_store_commit_duration_seconds_sum')).toBeGreaterThan(0);
    expect(await service.stop()).toBe(0);
  });
});

testWith(noSmallDisk, 'metrics show the size and the free space of the disk of an SQLite store', async () => {
  const file = join(temporaryFolder(), 'items.db');
  await runCommand(['migrate'], { DATABASE_URL: `sqlite:${file}` });
  const disk = new SmallDisk(file);
  await disk.listening();
  const read = async (end: string) => Number(sample(await scrape(disk.service), `item_store_disk_${end}_bytes`));
  const size = await read('size');
  expect(size).toBe(96 * 1024 * 1024);
  expect(await read('free')).toBeGreaterThan(size / 2);
  disk.fill(size / 32);
  expect(await read('free')).toBeLessThanOrEqual(size / 32);
  disk.service.child.kill('SIGTERM');
  expect(await disk.service.ended).toBe(0);
});

test('metrics count the open connections of clients', async () => {
  const service = await start(`sqlite:${newFile()}`);
  const sockets = Array.from({ length: 3 }, () => connect(Number(new URL(service.url).port), '127.0.0.1'));
  await untilSample(service, 'item_store_connections_open', 3);
  for (const socket of sockets) socket.destroy();
  await untilSample(service, 'item_store_connections_open', 0);
  expect(await service.stop()).toBe(0);
});

test('metrics count a request with the status "none" when its client leaves before the answer', async () => {
  const service = await start(`sqlite:${newFile()}`);
  const { HOST, AUTH, post } = byHand(service);
  const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
  socket.write(`${post(HOST, AUTH, JSON_TYPE, 'Content-Length: 100')}{`);
  await untilSample(service, 'item_store_http_requests_in_flight', 1);
  socket.destroy();
  const text = await untilSample(service, 'item_store_http_requests_in_flight', 0);
  expect(samples(text, 'item_store_http_requests_total')).toMatchObject({ 'createItem none': 1 });
  await service.stop();
});

test('metrics count failures by operation and error number', async () => {
  const service = await start(`sqlite:${newFile()}`);
  await createItem(service, ITEM);
  for (const body of ['{}', '{']) await createItem(service, body);
  await fetch(`${service.url}/nowhere`);
  await sendRaw(service.url, 'NONSENSE\r\n\r\n');
  const text = await untilSample(service, 'item_store_http_requests_in_flight', 0);
  expect(samples(text, 'item_store_http_errors_total')).toMatchObject({
    'createItem 40010': 1,
    'createItem 40008': 1,
    'none 40400': 1,
    'none 40001': 1,
    'createItem 50000': 0,
  });
  await service.stop();
});

test('metrics count an error number that the contract does not list as "other"', async () => {
  const build = { version: '1', schema: 1, commit: '' };
  const contract = { operations: [], document: { openapi: '3.1.1', info: { title: '', version: '' } } };
  const metrics = metricsOf(items, contract, { engine: 'sqlite' }, { dropped: () => 0 }, build);
  for (const number of [41898, 41899]) metrics.ended('createItem', 418, 1, number);
  expect(samples(await metrics.text(), 'item_store_http_errors_total')).toMatchObject({ 'createItem other': 2 });
});

test('a table whose metric would have the name of another one stops the start', async () => {
  const service = { ...items, records: { ready: 'createItem' } };
  const build = { version: '1', schema: 1, commit: '' };
  const { store } = await startApp();
  const metrics = metricsOf(
    service,
    { operations: [], document: { openapi: '3.1.1', info: { title: '', version: '' } } },
    { engine: 'sqlite' },
    { dropped: () => 0 },
    build,
  );
  expect(() => {
    metrics.watch(store);
  }).toThrow('the table ready would have the metric item_store_ready, which exists: choose another name');
});
