import { spawnSync } from 'node:child_process';
import { connect } from 'node:net';
import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { adminUrl, samples, scrape, until } from '../support/metrics.ts';
import { testWithPromtool } from '../support/promtool.ts';
import { byHand } from '../support/raw.ts';
import { createPlant, type Service, startService } from '../support/service.ts';

let service: Service;
beforeAll(async () => {
  service = await startService({ ADMIN_PORT: '0' });
  await createPlant(service, '{"id":1,"name":"x"}');
});
afterAll(async () => {
  await service.stop();
});

const ask = (method: string, path = '/metrics') => fetch(adminUrl(service) + path, { method });

test('metrics are asked for as the other paths of the admin listener are', async () => {
  const answer = await ask('GET');
  expect([answer.status, answer.headers.get('content-type'), answer.headers.get('cache-control')]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    'no-store',
  ]);
  expect(await answer.text()).toMatch(/^# HELP /);
  const head = await ask('HEAD');
  expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
    200,
    'text/plain; version=0.0.4; charset=utf-8',
    '',
  ]);
  for (const path of ['/metrics', '/livez']) {
    const refused = await ask('POST', path);
    expect([refused.status, refused.headers.get('allow'), await refused.text()]).toEqual([
      405,
      'GET, HEAD',
      '{"status":"method not allowed"}',
    ]);
  }
  expect((await ask('GET', '/metrics/')).status).toBe(404);
  // The public port speaks the contract, and nothing else.
  expect((await fetch(`${service.url}/metrics`)).status).toBe(404);
});

describe('the names of the metrics keep the rules of Prometheus', () => {
  testWithPromtool('by the word of promtool', async (promtool) => {
    const { status, stdout, stderr } = spawnSync(promtool, ['check', 'metrics'], {
      input: await scrape(service),
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });

  test('each has a help, a type, and a name with its unit', async () => {
    const text = await scrape(service);
    const families = text
      .trim()
      .split('\n\n')
      .map((each) => each.split('\n'));
    expect(families.length).toBeGreaterThan(30);
    for (const [help = '', type = '', ...lines] of families) {
      const [, name = '', kind] = /^# TYPE ([a-z][a-z0-9_]*) (counter|gauge|histogram)$/.exec(type) ?? [];
      expect(help).toMatch(new RegExp(`^# HELP ${name} \\S`));
      expect([name, name.endsWith('_total')]).toEqual([name, kind === 'counter']);
      // Units are seconds and bytes, not parts or multiples of these.
      expect(name).not.toMatch(
        /_(ms|us|ns|milliseconds|microseconds|nanoseconds|minutes|kb|mb|kilobytes|megabytes)(_|$)/,
      );
      if (kind === 'histogram') expect(name).toMatch(/_(seconds|bytes|plants)$/);
      const suffix = kind === 'histogram' ? '_(bucket|sum|count)' : '';
      const sample = new RegExp(
        `^${name}${suffix}(\\{[a-z_]+="[^"\\\\]*"(,[a-z_]+="[^"\\\\]*")*\\})? (-?[\\d.e+-]+|Nan)$`,
      );
      for (const line of lines) expect(line).toMatch(sample);
      expect(new Set(lines).size).toBe(lines.length);
    }
  });
});

test('the buckets of a histogram rise, and the last one has all', async () => {
  const text = await scrape(service);
  for (const name of ['plant_store_commit_duration_seconds', 'plant_store_batch_plants']) {
    const { '+Inf': all, ...others } = samples(text, `${name}_bucket`);
    const counts = Object.entries(others)
      .toSorted(([one], [other]) => Number(one) - Number(other))
      .map(([, count]) => count);
    expect(counts).toEqual(counts.toSorted((one, other) => one - other));
    expect(all).toBe(samples(text, `${name}_count`)['']);
    expect(counts.at(-1)).toBeLessThanOrEqual(all ?? NaN);
  }
});

test('there are no more of them after 100,000 requests of different paths, ids and methods', async () => {
  const { HOST, AUTH } = byHand(service);
  const send = async (total: number) => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    let answers = 0;
    const all = new Promise<void>((resolve) => {
      socket.setEncoding('latin1').on('data', (chunk: string) => {
        answers += chunk.split('HTTP/1.1 ').length - 1;
        if (answers === sent) next();
        if (answers === total) resolve();
      });
    });
    let sent = 0;
    const next = () => {
      const requests = Array.from({ length: Math.min(500, total - sent) }, () => {
        const id = sent++;
        const body = `{"id":${id},"name":"x"}`;
        const fields = `${HOST}\r\n${AUTH}\r\nX-Request-Id: ${id}\r\nContent-Type: application/json`;
        if (id % 2 === 0) return `POST /plants HTTP/1.1\r\n${fields}\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
        return `${id % 4 === 1 ? 'GET' : 'PROPFIND'} /p${id} HTTP/1.1\r\n${fields}\r\n\r\n`;
      });
      socket.write(requests.join(''));
    };
    next();
    await all;
    socket.destroy();
  };
  const names = async () => {
    const text = await until(service, 'plant_store_http_requests_in_flight', 0);
    return text.match(/^plant_store_.*(?= )/gm);
  };
  await send(100);
  const before = await names();
  await send(100_000);
  expect(await names()).toEqual(before);
});

test('a scraper that never reads holds up neither others nor the end', async () => {
  const own = await startService({ ADMIN_PORT: '0' });
  const sockets = Array.from({ length: 3 }, () => connect(Number(new URL(adminUrl(own)).port), '127.0.0.1').pause());
  await Promise.all(sockets.map((socket) => once(socket, 'connect')));
  for (const socket of sockets) {
    socket.on('error', () => undefined);
    socket.write('GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(200));
  }
  expect(await scrape(own)).toContain('plant_store_build_info');
  expect((await createPlant(own, '{"id":1,"name":"x"}')).status).toBe(200);
  // It would end itself, with 1, if it had to wait.
  expect(await own.stop()).toBe(0);
  for (const socket of sockets) socket.destroy();
});

test.each([
  ['not even loaded without an admin listener', '', 'false'],
  ['loaded with one', '0', 'true'],
])('what counts is %s', async (_name, port, loaded) => {
  const tell = `process.on('exit', () => process.stderr.write('loaded: ' + Object.keys(require('node:module')._cache).some((each) => each.includes('prom-client'))))`;
  const preload = `data:text/javascript,${encodeURIComponent(`import { createRequire } from 'node:module'; import { isMainThread } from 'node:worker_threads'; const require = createRequire('file:///'); if (isMainThread) ${tell}`)}`;
  const own = await startService({ ADMIN_PORT: port, NODE_OPTIONS: `--import=${preload}` });
  await own.stop();
  expect(own.stderr()).toContain(`loaded: ${loaded}`);
});
