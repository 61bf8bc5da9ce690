import { execFile } from 'node:child_process';
import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, test } from '@jest/globals';
import { items } from '../services/items/index.ts';
import { YAML } from '../support/app.ts';
import { adminUrl } from '../support/metrics.ts';
import { createItem, runCommand, startInstance } from '../support/service.ts';
import { until } from '../support/until.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

const newStore = () => ({ PORT: '0', DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}` });
const BODY = '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}';

/** The service of items with another contract. */
function withContract(edit: (yaml: string) => string): typeof items {
  const file = join(temporaryFolder(), 'openapi.yaml');
  const yaml = edit(YAML);
  expect(yaml).not.toBe(YAML);
  writeFileSync(file, yaml);
  return { ...items, contract: pathToFileURL(file) };
}

describe('the service', () => {
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
    const changed = withContract((yaml) => yaml.replace('  - url: /\n', '  - url: https://api.example/v1\n'));
    const service = await startInstance({ BASE_URL: 'https://items.example/api' }, changed);
    expect(service.stderr()).toContain("curl 'https://items.example/api/v1/items' -H");
    expect(service.stderr()).toContain('Documentation: https://items.example/api/docs\n');
    expect((await createItem({ ...service, url: `${service.url}/api/v1` }, BODY)).status).toBe(200);
    expect((await createItem({ ...service, url: `${service.url}/api` }, BODY)).status).toBe(404);
    expect((await fetch(`${service.url}/api/docs/`)).status).toBe(200);
    await service.stop();
  });

  test('prints a curl line with the header of an apiKey, which the service takes', async () => {
    const scheme = '      type: apiKey\n      in: header\n      name: X-Item-Key\n';
    const changed = withContract((yaml) =>
      yaml.replace('      type: http\n      scheme: bearer\n', scheme).replace('^Bearer[', '^ApiKey['),
    );
    const service = await startInstance({}, changed);
    const [line = ''] = /^ *curl .*$/m.exec(service.stderr()) ?? [];
    expect(line).toContain(`-H 'X-Item-Key: ${service.token}' -H`);
    expect(line).not.toContain('Authorization');
    const { stdout } = await promisify(execFile)('sh', ['-c', line]);
    expect(JSON.parse(stdout)).toMatchObject({ name: expect.any(String) });
    await service.stop();
  });

  test('prints the first token without a curl line when the contract has no example of a row', async () => {
    const changed = withContract((yaml) => yaml.replace(/^ {12}examples:\n(?: {14}.*\n)+/m, ''));
    const service = await startInstance({}, changed);
    expect(service.token).not.toBe('');
    expect(service.stderr()).not.toContain('curl');
    expect(service.stderr()).not.toContain('undefined');
    await service.stop();
  });

  test('starts with a warning when x-error-numbers lacks a number of the framework', async () => {
    const changed = withContract((yaml) => yaml.replace("            '40400': The path does not exist\n", ''));
    const service = await startInstance({}, changed);
    const line = service.log().find(({ level }) => level === 'warn');
    expect(line).toMatchObject({ unlisted: [40400], msg: expect.stringContaining('x-error-numbers') });
    expect(await service.stop()).toBe(0);
  });

  test('does not start when openapi.yaml was edited and is not valid OpenAPI', async () => {
    const changed = withContract((yaml) => yaml.replace('  version: 1.0.0\n', ''));
    const { code, stderr } = await runCommand(['serve'], newStore(), undefined, changed);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/openapi\.yaml:\d+:\d+: this is not valid OpenAPI 3\.1: /),
    ]);
  });

  test('does not start without openapi.yaml, or where it is a folder, and names its path', async () => {
    const folder = temporaryFolder();
    const path = join(folder, 'openapi.yaml');
    const start = () => runCommand(['serve'], newStore(), undefined, { ...items, contract: pathToFileURL(path) });
    expect(await start()).toMatchObject({
      code: 1,
      stderr: `item-store: openapi.yaml does not exist: the service reads it at ${path}\n`,
    });
    mkdirSync(path);
    expect(await start()).toMatchObject({
      code: 1,
      stderr: `item-store: openapi.yaml cannot be read: EISDIR: let ${path} be a file that you may read\n`,
    });
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
  expect(service.log()[3]).toMatchObject({ operations: service.url });
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

test('the log of an instance without requests has a line when its store goes away, and one when it is back', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'items.db');
  const service = await startInstance({ DATABASE_URL: `sqlite:${file}`, ADMIN_PORT: '0' });
  const unwatched = await startInstance({ DATABASE_URL: `sqlite:${file}` });
  const told = ({ log } = service) => log().filter(({ msg }) => String(msg).startsWith('the store is'));
  renameSync(file, `${file}.away`);
  await until(() => told().length > 0 && told(unwatched).length > 0);
  // Further questions fail too.
  for (const _ of [1, 2]) expect((await fetch(new URL('/readyz', adminUrl(service)))).status).toBe(503);
  renameSync(`${file}.away`, file);
  await until(async () => (await fetch(new URL('/readyz', adminUrl(service)))).status === 200);
  await Promise.all([service.stop(), unwatched.stop()]);
  expect(told()).toEqual([
    expect.objectContaining({ level: 'warn', msg: 'the store is away', err: expect.anything() }),
    expect.objectContaining({ level: 'info', msg: 'the store is back', seconds: expect.any(Number) }),
  ]);
});
