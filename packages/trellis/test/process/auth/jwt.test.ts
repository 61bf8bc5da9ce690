import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from '@jest/globals';
import { adminUrl, sample, scrape } from '../../support/metrics.ts';
import { inTime, timeOf } from '../../support/in-time.ts';
import { freePort } from '../../support/port.ts';
import { AUDIENCE, makeKey, TestProvider } from '../../support/provider.ts';
import { createItem, runCommand, ROOT, start, startInstance } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';

const bash = async (line: string) => (await promisify(execFile)('bash', ['--norc', '-c', line])).stdout;

test('`npm run provider` prints settings and commands that work without a change', async () => {
  const provider = start('npm', ['run', '--silent', 'provider'], { PORT: String(await freePort()) }, ROOT);
  using _provider = { [Symbol.dispose]: () => provider.child.kill('SIGTERM') };
  const printed = (start: string) => new RegExp(`^ {2}(${start}.*)$`, 'm').exec(provider.stdout())?.[1] ?? '';
  await until(() => printed('ACCESS_TOKEN='));
  const settings = printed('JWT_').replace(' npm start', '');
  const service = await startInstance(Object.fromEntries(new URLSearchParams(settings.replaceAll(' ', '&'))));
  expect(JSON.parse(await bash(printed('curl')))).toMatchObject({ token_type: 'Bearer' });
  const create = `curl --silent ${service.url}/items -H "Authorization: Bearer $ACCESS_TOKEN" -H 'Content-Type: application/json' -d '{"id":1,"name":"x"}'`;
  expect(await bash(`${printed('ACCESS_TOKEN=')}; ${create}`)).toBe('{"name":"x"}');
  expect(await service.stop()).toBe(0);
  const line = service.log().find(({ msg }) => msg === 'request');
  expect(line).toMatchObject({ status: 200, subject: 'gardener' });
  expect(line).not.toHaveProperty('caller');
  // With an issuer, the service makes no first token in its store.
  expect([service.token, service.stderr()]).toEqual(['', '']);
});

test('an issuer that never answers delays neither the start nor the stop of the service', async () => {
  const silent = createServer().listen(0, '127.0.0.1');
  using _silent = { [Symbol.dispose]: () => silent.close() };
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  await inTime(async () => {
    const asked = once(silent, 'connection');
    const service = await startInstance({ JWT_ISSUER: `http://127.0.0.1:${port}`, JWT_AUDIENCE: 'items' });
    await asked;
    expect(await timeOf(() => service.stop())).toBeLessThan(3000);
    expect(await service.ended).toBe(0);
  });
});

test('an instance is ready once it has fetched the keys of its issuer, and stays ready without the issuer', async () => {
  const port = await freePort();
  const database = { DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}` };
  const { stdout: token } = await runCommand(['token', 'create', 'app'], database);
  const settings = { ...database, ADMIN_PORT: '0', JWT_ISSUER: `http://127.0.0.1:${port}`, JWT_AUDIENCE: AUDIENCE };
  const service = await startInstance(settings);
  const ask = async (path: string) => {
    const response = await fetch(adminUrl(service) + path);
    return [response.status, await response.json()];
  };
  const create = async (bearer: string) =>
    (await createItem({ url: service.url, token: bearer }, '{"id":1,"name":"x"}')).status;
  const reason = 'the keys of the token issuer were never fetched';
  expect(await ask('/readyz')).toEqual([503, { status: 'not ready', reason }]);
  expect((await ask('/livez'))[0]).toBe(200);
  expect(await create(token.trim())).toBe(200);
  const before = await scrape(service);
  expect(before).toContain('item_store_issuer_keys_age_seconds +Inf\n');
  expect(sample(before, 'item_store_issuer_keys_failures_total')).toBeGreaterThan(0);

  const startedAt = performance.now();
  await using provider = await TestProvider.start([await makeKey('late')], port);
  await until(async () => (await ask('/readyz'))[0] === 200);
  const early = await provider.token();
  await provider[Symbol.asyncDispose]();
  expect(sample(await scrape(service), 'item_store_issuer_keys_age_seconds')).toBeLessThanOrEqual(
    (performance.now() - startedAt) / 1000,
  );
  expect((await ask('/readyz'))[0]).toBe(200);
  expect(await create(early)).toBe(200);
  await service.stop();
});
