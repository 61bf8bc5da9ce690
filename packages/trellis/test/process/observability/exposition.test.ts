import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adminUrl, scrape, untilSample } from '../../support/metrics.ts';
import { testWithPromtool } from '../../support/promtool.ts';
import { createItem, type Instance, startInstance } from '../../support/service.ts';

let service: Instance;
beforeAll(async () => {
  service = await startInstance({ ADMIN_PORT: '0' });
});
afterAll(async () => {
  await service.stop();
});

test('the admin listener serves /metrics for GET and HEAD only', async () => {
  const ask = async (method: string, path = '/metrics') => {
    const { status, headers } = await fetch(adminUrl(service) + path, { method });
    return [status, headers.get('content-type'), headers.get('cache-control'), headers.get('allow')];
  };
  expect(await ask('GET')).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8', 'no-store', null]);
  expect(await ask('HEAD')).toEqual(await ask('GET'));
  for (const path of ['/metrics', '/livez'])
    expect(await ask('POST', path)).toEqual([405, 'application/json', 'no-store', 'GET, HEAD']);
  expect((await ask('GET', '/metrics/'))[0]).toBe(404);
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
});

testWithPromtool('promtool accepts the names of the metrics', async (promtool) => {
  const options = { input: await scrape(service), encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], options);
  expect([status, stdout, stderr]).toEqual([0, '', '']);
});

test('each metric has a HELP line and a TYPE line, and only the names of counters end in _total', async () => {
  const families = (await scrape(service)).trim().split('\n\n');
  expect(families.length).toBeGreaterThan(30);
  for (const family of families) {
    const [, name = '', type] = /^# HELP (\w+) \S.*\n# TYPE \1 (counter|gauge|histogram)\n/.exec(family) ?? [];
    expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
  }
});

test('requests with new paths, ids and methods add no time series to the metrics', async () => {
  const send = (id: number) => {
    const headers = { 'X-Request-Id': String(id) };
    if (id % 2 === 0) return createItem(service, `{"id":${id},"name":"x"}`, headers);
    return fetch(`${service.url}/p${id}`, { method: id % 4 === 1 ? 'GET' : 'PROPFIND', headers });
  };
  const samplesAfter = async (first: number, count: number) => {
    for (let id = first; id < first + count; id += 20)
      await Promise.all(Array.from({ length: 20 }, async (_, index) => (await send(id + index)).arrayBuffer()));
    const text = await untilSample(service, 'item_store_http_requests_in_flight', 0);
    return text.match(/^item_store_.*(?= )/gm);
  };
  const before = await samplesAfter(0, 20);
  expect(await samplesAfter(20, 200)).toEqual(before);
});

test('a scraper that never reads delays neither other clients nor the stop of the service', async () => {
  const own = await startInstance({ ADMIN_PORT: '0' });
  const sockets = Array.from({ length: 3 }, () => connect(Number(new URL(adminUrl(own)).port), '127.0.0.1').pause());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  }
  expect(await scrape(own)).toContain('item_store_build_info');
  expect((await createItem(own, '{"id":1,"name":"x"}')).status).toBe(200);
  // The service exits with 1 if its stop takes too long.
  expect(await own.stop()).toBe(0);
  for (const socket of sockets) socket.destroy();
});
