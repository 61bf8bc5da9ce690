import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, test } from '@jest/globals';
import { freePort } from '../support/port.ts';
import { PostgresServer } from '../support/postgres.ts';
import { createItem, type Instance, runCommand, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';

const server = await PostgresServer.create();
afterAll(() => server.remove());

const newStore = async () => ({ DATABASE_URL: server.url(await server.createDatabase()) });
const BODY = '{"id":9223372036854775807,"name":"Monstera deliciosa","tag":"tropical"}';
const tokensOf = (services: readonly Instance[]) => services.map(({ token }) => token).filter((token) => token !== '');

describe('several instances', () => {
  test('instances on one PostgreSQL print one first token when three start at once on an empty database', async () => {
    const environment = await newStore();
    const services = await Promise.all(Array.from({ length: 3 }, () => startInstance(environment)));
    const [token = '', ...others] = tokensOf(services);
    expect(others).toEqual([]);
    const answers = await Promise.all(services.map(({ url }) => createItem({ url, token }, BODY)));
    expect(answers.map(({ status }) => status)).toEqual(services.map(() => 200));
    const replays = answers.filter(({ headers }) => headers.get('idempotent-replayed') === 'true');
    expect(replays).toHaveLength(2);
    expect(new Set(await Promise.all(services.map(({ stop }) => stop())))).toEqual(new Set([0]));
    const { stdout } = await runCommand(['export'], environment);
    expect(stdout).toBe(`${BODY}\n`);
  });

  test('instances on one PostgreSQL accept a token that another process makes, and refuse it 1 s after it is revoked', async () => {
    const environment = await newStore();
    const services = await Promise.all([startInstance(environment), startInstance(environment)]);
    const { stdout } = await runCommand(['token', 'create', 'mine'], environment);
    const statuses = () =>
      Promise.all(services.map(async ({ url }) => (await createItem({ url, token: stdout.trim() }, BODY)).status));
    expect(await statuses()).toEqual([200, 200]);
    const over = new AbortController();
    const traffic = (async () => {
      while (!over.signal.aborted) await statuses();
    })();
    expect(await runCommand(['token', 'revoke', 'mine'], environment)).toMatchObject({ code: 0 });
    await sleep(1000);
    over.abort();
    await traffic;
    expect(await statuses()).toEqual([401, 401]);
    await Promise.all(services.map(({ stop }) => stop()));
  });
});

describe('PostgreSQL is down', () => {
  test('a service whose PostgreSQL is down starts, answers 503 to /readyz and to creates, and recovers when PostgreSQL starts', async () => {
    const database = await server.createDatabase();
    await server.stop();
    const environment = { DATABASE_URL: server.url(database), ADMIN_PORT: '0' };
    const service = await startInstance(environment, undefined, undefined, 'listening');
    const admin = String(service.log().find(({ msg }) => msg === 'admin listening')?.['url']);
    const statusOf = async (path: string) => (await fetch(admin + path)).status;
    expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 503]);
    const refused = await createItem({ ...service, token: 'a'.repeat(43) }, BODY);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '1']);
    await server.start();
    await until(() => service.log().some(({ msg }) => msg === 'ready'));
    expect([await statusOf('/livez'), await statusOf('/readyz')]).toEqual([200, 200]);
    expect((await createItem(service, BODY)).status).toBe(200);
    // PostgreSQL is killed while the service runs.
    await server.kill();
    expect(await statusOf('/readyz')).toBe(503);
    const { status } = await createItem(service, BODY);
    expect(status).toBe(503);
    await server.start();
    await until(async () => (await statusOf('/readyz')) === 200);
    const replay = await createItem(service, BODY);
    expect([replay.status, replay.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    expect(await service.stop()).toBe(0);
    const errors = service.log().filter(({ level }) => level === 'error');
    expect(errors.map(({ status }) => status)).toEqual([503, 503]);
  });

  test('a service whose PostgreSQL is down stops on SIGTERM while it waits for PostgreSQL', async () => {
    const environment = { DATABASE_URL: `postgres://postgres@127.0.0.1:${await freePort()}/items` };
    const service = await startInstance(environment, undefined, undefined, 'listening');
    expect(await service.stop()).toBe(0);
  });

  test('a service whose PostgreSQL is down exits with one line when the database does not exist', async () => {
    const { code, stderr } = await runCommand(['serve'], { DATABASE_URL: server.url('none'), PORT: '0' });
    expect(stderr).toBe(`item-store: PostgreSQL at 127.0.0.1:${server.port}/none has no such database: create it\n`);
    expect(code).toBe(1);
  });
});

test('a command exits with one line when PostgreSQL is down or another program has its port', async () => {
  const impostor = createServer((socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n')).listen(0, '127.0.0.1');
  await once(impostor, 'listening');
  const free = await freePort();
  const taken = (impostor.address() as AddressInfo).port;
  for (const [port, reason] of [
    [free, `connect ECONNREFUSED 127.0.0.1:${free}`],
    [taken, 'the server does not speak the protocol of PostgreSQL'],
  ] as const) {
    const at = `127.0.0.1:${port}/items`;
    const { code, stderr } = await runCommand(['token', 'list'], { DATABASE_URL: `postgres://postgres:secret@${at}` });
    expect(stderr).toBe(`item-store: PostgreSQL at ${at} is not available: ${reason}\n`);
    expect(code).toBe(1);
  }
  impostor.close();
});
