import { once } from 'node:events';
import { chmodSync, chownSync, readFileSync, writeFileSync } from 'node:fs';
import { type AddressInfo, connect as dial, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { openStore } from '../../../../src/storage/open.ts';
import { readPostgresLocation } from '../../../../src/storage/postgres/location.ts';
import { type Certificate, makeCertificate } from '../../../support/certificate.ts';
import { adminUrl } from '../../../support/metrics.ts';
import { freePort } from '../../../support/port.ts';
import { insist } from '../../../support/insist.ts';
import { NOBODY, PostgresServer } from '../../../support/postgres.ts';
import { runCommand, startInstance } from '../../../support/service.ts';
import { temporaryFolder } from '../../../../../contract/test/support/temporary.ts';
import { until } from '../../../support/until.ts';
import { LAYOUT } from '../../../services/items/index.ts';

const OTHER_NAME = 'for another host name';
const folder = temporaryFolder();
const file = (name: string, text: string) => {
  writeFileSync(join(folder, name), text);
  return encodeURIComponent(join(folder, name));
};
const authority = makeCertificate('authority');
const root = file('root.pem', authority.cert);
const strange = file('strange.pem', makeCertificate('another authority').cert);
const client = makeCertificate('postgres', [], authority);
const clientFiles = `&sslcert=${file('client.pem', client.cert)}&sslkey=${file('client.key', client.key)}`;

const [server, plain] = await Promise.all([PostgresServer.create(), PostgresServer.create()]);
await serve(server, makeCertificate('server', ['localhost'], authority));
afterAll(() => Promise.all([server.remove(), plain.remove()]));

/** Makes a server use this certificate for connections from now on. */
async function serve(on: PostgresServer, { cert, key }: Certificate): Promise<void> {
  for (const [name, text] of Object.entries({ 'server.crt': cert, 'server.key': key, 'root.crt': authority.cert })) {
    writeFileSync(join(on.data, name), text);
  }
  chmodSync(join(on.data, 'server.key'), 0o600);
  if (NOBODY.uid !== undefined) chownSync(join(on.data, 'server.key'), NOBODY.uid, NOBODY.gid);
  on.set({ ssl: 'on', ssl_ca_file: 'root.crt' });
  const query = 'select pg_conf_load_time()::text as at';
  const [before] = await on.query(query);
  on.reload();
  await until(async () => (await on.query(query))[0]?.['at'] !== before?.['at']);
}

/** Connects, and returns the error, or the client certificate's name, or (without either) whether TLS is in use. */
async function connect({ port }: PostgresServer, host: string, parameters: string): Promise<boolean | string> {
  const url = `postgres://postgres@${host}:${port}/postgres?application_name=tls${parameters}`;
  try {
    // A server of a busy machine may not answer in time.
    const store = await insist(() => openStore(LAYOUT, readPostgresLocation(url), { create: true }));
    const [row] = await server.query(
      "select bool_and(ssl) as encrypted, max(client_dn) as client from pg_stat_ssl join pg_stat_activity using (pid) where application_name = 'tls'",
    );
    await store.close();
    return typeof row?.['client'] === 'string' ? row['client'] : row?.['encrypted'] === true;
  } catch (error) {
    return Error.isError(error) ? `${error.name}: ${error.message}` : '';
  }
}

describe('a server with TLS', () => {
  test.each([
    ['with TLS by default', '', true],
    ['with TLS for sslmode=prefer', '&sslmode=prefer', true],
    ['with TLS for sslmode=require', '&sslmode=require', true],
    ['without TLS for sslmode=disable', '&sslmode=disable', false],
    ['with TLS for sslmode=verify-ca', `&sslmode=verify-ca&sslrootcert=${root}`, true],
    ['with TLS for sslmode=verify-full', `&sslmode=verify-full&sslrootcert=${root}`, true],
    ['with the client certificate of sslcert', `&sslmode=require${clientFiles}`, '/CN=postgres'],
  ])('the store, on a server with TLS, connects %s', async (_how, parameters, found) => {
    expect(await connect(server, 'localhost', parameters)).toBe(found);
  });

  test.each([
    ['of an unknown authority, with sslmode=verify-full', `&sslmode=verify-full&sslrootcert=${strange}`, 'self-signed'],
    ['of an unknown authority, with sslmode=verify-ca', `&sslmode=verify-ca&sslrootcert=${strange}`, 'self-signed'],
    ['of an unknown authority, with sslmode=require', `&sslmode=require&sslrootcert=${strange}`, 'self-signed'],
    ['of an unknown authority, without sslrootcert', '&sslmode=verify-full', ''],
    ['of an unknown authority, with sslrootcert=system', '&sslrootcert=system', ''],
    [OTHER_NAME, `&sslmode=verify-full&sslrootcert=${root}`, "Hostname/IP does not match certificate's altnames"],
  ])('the store, on a server with TLS, refuses a certificate %s', async (name, parameters, reason) => {
    const refusal = await connect(server, name === OTHER_NAME ? '127.0.0.1' : 'localhost', parameters);
    expect(refusal).toMatch(/^StoreUnusable: the certificate of PostgreSQL at .+ is not valid: /);
    expect(refusal).toContain(`is not valid: ${reason}`);
  });

  test('the store, on a server with TLS, accepts a certificate with another host name, with sslmode=verify-ca', async () => {
    expect(await connect(server, '127.0.0.1', `&sslmode=verify-ca&sslrootcert=${root}`)).toBe(true);
  });
});

test.each([
  ['expired', '20200101000000Z', '20210101000000Z', 'certificate has expired'],
  ['not valid yet', '21100101000000Z', '21200101000000Z', 'certificate is not yet valid'],
])(
  'a start waits while the certificate of the server is %s, says so, and goes on when it is renewed',
  async (...row) => {
    const [, from, to, reason] = row;
    await using own = await PostgresServer.create();
    await serve(own, makeCertificate('server', ['localhost'], authority, [from, to]));
    const DATABASE_URL = `postgres://postgres@localhost:${own.port}/postgres?sslmode=verify-full&sslrootcert=${root}`;
    const service = await startInstance({ DATABASE_URL, ADMIN_PORT: '0' }, undefined, undefined, 'listening');
    // On a busy machine, the server may not answer at first, which is another reason.
    const told = `the certificate of PostgreSQL at localhost:${own.port}/postgres is not valid: ${reason}`;
    const away = () => service.log().filter(({ msg }) => msg === 'the store is away');
    await until(() => JSON.stringify(away()).includes(told));
    expect((await fetch(`${adminUrl(service)}/readyz`)).status).toBe(503);
    const { code, stderr } = await runCommand(['token', 'list'], { DATABASE_URL });
    expect([code, stderr]).toEqual([1, expect.stringContaining(`is not valid: ${reason}`)]);
    await serve(own, makeCertificate('server', ['localhost'], authority));
    await until(() => service.log().some(({ msg }) => msg === 'ready'));
    expect((await fetch(`${adminUrl(service)}/readyz`)).status).toBe(200);
    expect(await service.stop()).toBe(0);
  },
);

/** A relay that delivers each packet late, in both directions. */
async function farAway(port: number, delayMs: number) {
  let isCut = false;
  const sockets = new Set<Socket>();
  const relay = createServer((near) => {
    const far = dial(port, '127.0.0.1');
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('error', () => undefined);
      from.on('data', (bytes) => setTimeout(() => to.writable && to.write(bytes), delayMs));
      from.on('close', () => to.destroy());
    }
    if (isCut) near.destroy();
  });
  relay.listen(0, '127.0.0.1');
  await once(relay, 'listening');
  const cut = (cutsNow: boolean) => {
    isCut = cutsNow;
    for (const socket of cutsNow ? sockets : []) socket.destroy();
  };
  return {
    port: (relay.address() as AddressInfo).port,
    cut,
    [Symbol.dispose]: () => {
      relay.close();
      cut(true);
    },
  };
}

test('the store opens on a server far away that asks for TLS and a password, and returns to it after an outage', async () => {
  await server.query("create role traveller login password 'right'");
  const own = await server.createDatabase('owner traveller');
  const rules = join(server.data, 'pg_hba.conf');
  writeFileSync(rules, `hostssl all traveller 127.0.0.1/32 scram-sha-256\n${readFileSync(rules, 'utf8')}`);
  server.reload();
  await server.until("select from pg_hba_file_rules where 'traveller' = any(user_name)");
  // To connect takes six round trips or more: longer than one try of a call to a server that is away.
  using relay = await farAway(server.port, 150);
  const parameters = `?sslmode=verify-full&sslrootcert=${root}&connect_timeout=60`;
  const url = `postgres://traveller:right@localhost:${relay.port}/${own}${parameters}`;
  const onUnreachable = () => undefined;
  const store = await openStore(LAYOUT, readPostgresLocation(url), { create: true, onUnreachable });
  await store.opened;
  const create = (id: bigint) => store.create('items', { id, name: 'Ginkgo' }).catch(String);
  expect(await create(1n)).toBe('created');
  relay.cut(true);
  expect(await create(2n)).toMatch(/^StoreUnavailable: /);
  relay.cut(false);
  await until(async () => ['created', 'replayed'].includes(await create(3n)));
  await store.close();
});

describe('a server without TLS', () => {
  test.each(['require', 'verify-ca', 'verify-full'])(
    'the store, on a server without TLS, refuses to connect with sslmode=%s',
    async (mode) => {
      expect(await connect(plain, 'localhost', `&sslmode=${mode}`)).toMatch(
        new RegExp(`^StoreUnusable: .* offers no TLS: enable it there, or change sslmode=${mode}$`),
      );
    },
  );

  test('the store, on a server without TLS, is unavailable, not unusable, if another host of its URL does not answer', async () => {
    const hosts = `postgres://postgres@127.0.0.1:${plain.port},127.0.0.1:${await freePort()}`;
    const opening = openStore(LAYOUT, readPostgresLocation(`${hosts}/postgres?sslmode=require`), { create: true });
    await expect(opening).rejects.toMatchObject({
      name: 'StoreUnavailable',
      message: expect.stringMatching(/is not available: (?=.*offers no TLS: .* sslmode=require)(?=.*ECONNREFUSED)/),
    });
  });

  test('the store, on a server without TLS, connects without TLS by default', async () => {
    expect(await connect(plain, 'localhost', '')).toBe(false);
  });
});
