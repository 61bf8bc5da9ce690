import { describe, expect, test } from '@jest/globals';
import { startApp, type TestApp } from '../../support/app.ts';

let requests = 0;

/** The client in the log line of a request with this X-Forwarded-For. */
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
  const app = apps.get(proxies) ?? (await startApp(proxies === undefined ? {} : { proxies }));
  apps.set(proxies, app);
  return app;
}

describe('addresses of clients', () => {
  test.each<[string, number | string[] | undefined, string | undefined, string]>([
    ['the peer of the connection', undefined, undefined, HERE],
    ['the peer, if TRUST_PROXY is unset, whatever the header says', undefined, '192.0.2.1', HERE],
    ['the peer, if the proxy sends no header', 1, undefined, HERE],
    ['the address that the only proxy wrote', 1, '192.0.2.1', '192.0.2.1'],
    ['the address that the proxy wrote behind that of the client', 1, '198.51.100.7, 192.0.2.1', '192.0.2.1'],
    ['the address that the first of two proxies wrote', 2, '198.51.100.7, 192.0.2.1, 10.0.0.1', '192.0.2.1'],
    ['the last address that is not a proxy', NETS, '1.1.1.1, 192.0.2.1,10.0.0.2, 10.0.0.1', '192.0.2.1'],
    ['the first address, if all are proxies', NETS, '10.0.0.2, 10.0.0.1', '10.0.0.2'],
    ['the peer, if a proxy wrote a word instead of an address', NETS, '192.0.2.1, unknown, 10.0.0.1', HERE],
    ['the peer, if that is not one of the proxies', ['10.0.0.0/8'], '192.0.2.1', HERE],
    ['an IPv6 address', 1, '2001:db8::1', '2001:db8::1'],
    ['an IPv4 address without its port', 1, '192.0.2.1:5678', '192.0.2.1'],
    ['an IPv6 address without its port', 1, '[2001:db8::1]:5678', '2001:db8::1'],
    ['the peer instead of a word', 1, 'unknown', HERE],
    ['the peer instead of half an address', 1, '192.0.2', HERE],
    ['the peer instead of a forged log line', 1, '"}{"level":"fatal"', HERE],
    ['the peer instead of an address with a zone of 8 KB', 1, `fe80::1%${'x'.repeat(8000)}`, HERE],
    ['the peer instead of 8 KB of text', 1, 'x'.repeat(8000), HERE],
    ['the address that the proxy wrote behind 8 KB of others', 1, `${'1.1.1.1,'.repeat(1000)}192.0.2.1`, '192.0.2.1'],
  ])('the client in the log line is %s', async (_name, proxies, forwarded, client) => {
    expect(await clientOf(await behind(proxies), forwarded)).toBe(client);
  });
});
