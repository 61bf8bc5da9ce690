import { execFile } from 'node:child_process';
import { mkdirSync, realpathSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { Project } from '../support/project.ts';
import { createItem, runCommand, start, startInstance, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';
import { until } from '../support/until.ts';

const CONTRACT = 'packages/trellis/test/services/items/openapi.yaml';
const newStore = () => ({ PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}` });
const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

describe('the service', () => {
  test('keeps an acknowledged item when it is killed', async () => {
    const environment = newStore();
    const service = await startService(environment);
    expect((await createItem(service, BODY)).status).toBe(200);
    service.child.kill('SIGKILL');
    expect(await service.ended).toBe('SIGKILL');
    const again = await startService(environment);
    const response = await createItem({ url: again.url, token: service.token }, BODY);
    expect([response.status, response.headers.get('idempotent-replayed')]).toEqual([200, 'true']);
    await again.stop();
  });

  test('creates one first token when three instances start at once on an empty store', async () => {
    const environment = newStore();
    const services = await Promise.all(Array.from({ length: 3 }, () => startService(environment)));
    const tokens = services.map(({ token }) => token).filter((token) => token !== '');
    expect(tokens).toHaveLength(1);
    const answers = services.map(({ url }) => createItem({ url, token: tokens[0] ?? '' }, BODY));
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(await Promise.all(services.map(({ stop }) => stop()))).toEqual([0, 0, 0]);
  });

  test('says in one line why it cannot start', async () => {
    const service = await startInstance();
    const { port } = new URL(service.url);
    const path = join(temporaryFolder(), 'items.db');
    writeFileSync(path, 'no database '.repeat(100));
    const lineOf = async (environment: Record<string, string>) => {
      const { code, stderr } = await runCommand(['serve'], { ...newStore(), ...environment });
      expect(code).toBe(1);
      return stderr;
    };
    expect(await lineOf({ PORT: port })).toBe(
      `item-store: port ${port} of 127.0.0.1 is in use: choose another port, or stop the process that uses it\n`,
    );
    expect(await lineOf({ HOST: '192.0.2.1' })).toMatch(
      /^item-store: the service cannot listen on port 0 of 192\.0\.2\.1: .*\n$/,
    );
    expect(await lineOf({ DATABASE_URL: `sqlite:${path}` })).toBe(
      `item-store: the database ${path} is not a SQLite database: correct DATABASE_URL, or move it away with its -wal and -shm and restore a backup\n`,
    );
    await service.stop();
  });

  test('listens on all addresses with HOST=0.0.0.0, and prints a curl line for 127.0.0.1', async () => {
    const service = await startInstance({ HOST: '0.0.0.0' });
    const { port } = new URL(service.url);
    expect(service.url).toBe(`http://0.0.0.0:${port}`);
    expect(service.stderr()).toContain(`curl 'http://127.0.0.1:${port}/items'`);
    await service.stop();
  });

  test('listens on IPv6 with HOST=::1', async () => {
    const service = await startInstance({ HOST: '::1' });
    expect(service.url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    expect((await createItem(service, BODY)).status).toBe(200);
    await service.stop();
  });

  test('accepts the token of TOKEN_FILE, and creates no first token then', async () => {
    const token = 'a-token-that-was-provisioned-000001';
    const file = join(temporaryFolder(), 'token');
    writeFileSync(file, `${token}\n`);
    const service = await startInstance({ TOKEN_FILE: file });
    expect(service.token).toBe('');
    expect((await createItem({ url: service.url, token }, BODY)).status).toBe(200);
    await service.stop();
    expect(service.log()).toContainEqual(expect.objectContaining({ msg: 'request', caller: 'TOKEN_FILE' }));
  });

  test('tells clients the idle time of connections that IDLE_TIMEOUT sets, or 65 s', async () => {
    for (const [environment, told] of [
      [{}, 'timeout=65'],
      [{ IDLE_TIMEOUT: '10m' }, 'timeout=600'],
    ] as const) {
      const service = await startInstance({ ...newStore(), ...environment });
      expect((await fetch(`${service.url}/openapi.json`)).headers.get('keep-alive')).toBe(told);
      await service.stop();
    }
  });

  test('serves /items below the path of BASE_URL', async () => {
    const service = await startInstance({ BASE_URL: 'https://items.example/api/' });
    expect(service.stderr()).toContain("curl 'https://items.example/api/items' -H");
    expect((await createItem(service, BODY)).status).toBe(404);
    expect((await createItem({ ...service, url: `${service.url}/api` }, BODY)).status).toBe(200);
    await service.stop();
  });

  test('serves operations below the paths of BASE_URL and of servers, and pages below BASE_URL alone', async () => {
    const project = new Project();
    project.edit(CONTRACT, '  - url: /\n', '  - url: https://api.example/v1\n');
    const environment = { BASE_URL: 'https://items.example/api' };
    const service = await startService(environment, project.folder, project.itemsMain);
    expect(service.stderr()).toContain("curl 'https://items.example/api/v1/items' -H");
    expect(service.stderr()).toContain('Documentation: https://items.example/api/docs\n');
    expect((await createItem({ ...service, url: `${service.url}/api/v1` }, BODY)).status).toBe(200);
    expect((await createItem({ ...service, url: `${service.url}/api` }, BODY)).status).toBe(404);
    expect((await fetch(`${service.url}/api/docs/`)).status).toBe(200);
    await service.stop();
  });

  test('prints a curl line with the header of an apiKey, which the service takes', async () => {
    const project = new Project();
    const scheme = '      type: apiKey\n      in: header\n      name: X-Item-Key\n';
    project.edit(CONTRACT, '      type: http\n      scheme: bearer\n', scheme);
    project.edit(CONTRACT, '^Bearer[', '^ApiKey[');
    const service = await startService({}, project.folder, project.itemsMain);
    const [line = ''] = /^ *curl .*$/m.exec(service.stderr()) ?? [];
    expect(line).toContain(`-H 'X-Item-Key: ${service.token}' -H`);
    expect(line).not.toContain('Authorization');
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({ name: expect.any(String) });
    await service.stop();
  });

  test('starts with a warning when x-error-numbers lacks a number of the framework', async () => {
    const project = new Project();
    project.edit(CONTRACT, "            '40400': The path does not exist\n", '');
    const service = start(process.execPath, [project.itemsMain, 'serve'], newStore(), project.folder);
    const line = await until(() => service.log().find(({ level }) => level === 'warn'));
    expect(line).toMatchObject({ unlisted: [40400], msg: expect.stringContaining('x-error-numbers') });
    service.child.kill('SIGTERM');
    expect(await service.ended).toBe(0);
  });

  test('does not start when openapi.yaml was edited and is not valid OpenAPI', async () => {
    const project = new Project();
    project.edit(CONTRACT, '  version: 1.0.0\n', '');
    const service = start(process.execPath, [project.itemsMain, 'serve'], { PORT: '0' }, project.folder);
    expect(await service.ended).toBe(1);
    expect(service.stderr()).toMatch(/openapi\.yaml:\d+:\d+: this is not valid OpenAPI 3\.1: /);
  });

  test('does not start without openapi.yaml, and names the path of the file', async () => {
    const project = new Project();
    project.remove(CONTRACT);
    const service = start(process.execPath, [project.itemsMain, 'serve'], { PORT: '0' }, project.folder);
    expect(await service.ended).toBe(1);
    const path = join(realpathSync(project.folder), CONTRACT);
    expect(service.stderr()).toBe(`item-store: openapi.yaml does not exist: the service reads it at ${path}\n`);
  });

  test('does not start where openapi.yaml is a folder, and names its path', async () => {
    const project = new Project();
    project.remove(CONTRACT);
    const path = join(realpathSync(project.folder), CONTRACT);
    mkdirSync(path);
    const service = start(process.execPath, [project.itemsMain, 'serve'], { PORT: '0' }, project.folder);
    expect(await service.ended).toBe(1);
    expect(service.stderr()).toBe(
      `item-store: openapi.yaml cannot be read: EISDIR: let ${path} be a file that you may read\n`,
    );
  });
});

test('each line of the log begins with its level and time, and ends with its message', async () => {
  const service = await startInstance();
  await createItem(service, '{"id":1,"name":"x"}', { 'X-Request-Id': 'mine' });
  await service.stop();
  for (const line of service.stdout().trimEnd().split('\n')) {
    expect(line).toMatch(/^\{"level":"info","time":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z",.*"msg":"[\w ]+"\}$/);
  }
  expect(service.log().map(({ msg }) => msg)).toEqual([
    'listening',
    'migrated the schema of the store',
    'created the first token of the store',
    'ready',
    'request',
    'stopping',
    'stopped',
  ]);
  expect(service.log()[4]).toEqual({
    level: 'info',
    time: expect.any(String),
    requestId: 'mine',
    method: 'POST',
    path: '/items',
    client: '127.0.0.1',
    operation: 'createItem',
    caller: 'first',
    status: 200,
    ms: expect.any(Number),
    msg: 'request',
  });
});
