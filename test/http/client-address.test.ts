import { describe, expect, test } from '@jest/globals';
import type { TestApp } from '../support/app.ts';
import { startSmall } from '../support/small.ts';

let requests = 0;

/** What the log names as the client of a request that came with this header. */
async function clientOf(app: TestApp, forwarded?: string): Promise<unknown> {
  const id = `request-${requests++}`;
  const headers = forwarded === undefined ? {} : { 'X-Forwarded-For': forwarded };
  await (await fetch(`${app.url}/none`, { headers: { 'X-Request-Id': id, ...headers } })).text();
  return (await app.lineOf(id))['client'];
}

const HERE = '127.0.0.1';
const NETS = ['loopback', '10.0.0.0/8'];
const apps = new Map<unknown, TestApp>();
async function behind(proxies: number | string[] | undefined): Promise<TestApp> {
  const app = apps.get(proxies) ?? (await startSmall(proxies === undefined ? {} : { proxies }));
  apps.set(proxies, app);
  return app;
}

describe('the log has as the client', () => {
  test.each<[string, number | string[] | undefined, string | undefined, string]>([
    ['the connection', undefined, undefined, HERE],
    ['the connection, whatever the client says of itself', undefined, '192.0.2.1', HERE],
    ['the connection, where no proxy has said anything', 1, undefined, HERE],
    ['what the one proxy in front wrote', 1, '192.0.2.1', '192.0.2.1'],
    ['what it wrote, not what the client did before', 1, '198.51.100.7, 192.0.2.1', '192.0.2.1'],
    ['what the first of two proxies wrote', 2, '198.51.100.7, 192.0.2.1, 10.0.0.1', '192.0.2.1'],
    ['the last that is no proxy by its address', NETS, '1.1.1.1, 192.0.2.1,10.0.0.2, 10.0.0.1', '192.0.2.1'],
    ['what stands before all proxies, if nothing does', NETS, '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['the connection, where a proxy wrote what is no address', NETS, '192.0.2.1, unknown, 10.0.0.1', HERE],
    ['the connection, where it is not one of the proxies', ['10.0.0.0/8'], '192.0.2.1', HERE],
    ['an address of IPv6', 1, '2001:db8::1', '2001:db8::1'],
    ['an address without its port', 1, '192.0.2.1:5678', '192.0.2.1'],
    ['one of IPv6 likewise', 1, '[2001:db8::1]:5678', '2001:db8::1'],
    ['the connection, for what is no address', 1, 'unknown', HERE],
    ['the connection, for half an address', 1, '192.0.2', HERE],
    ['the connection, for lines of a log', 1, '"}{"level":"fatal"', HERE],
    ['the connection, for an address at length', 1, `fe80::1%${'x'.repeat(8000)}`, HERE],
    ['the connection, for 8 KB', 1, 'x'.repeat(8000), HERE],
    ['what the proxy wrote, behind 8 KB', 1, `${'1.1.1.1,'.repeat(1000)}192.0.2.1`, '192.0.2.1'],
  ])('%s', async (_name, proxies, forwarded, client) => {
    expect(await clientOf(await behind(proxies), forwarded)).toBe(client);
  });
});
