import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { whyNoNginx } from '../../packages/trellis/test/support/nginx.ts';
import { freePort } from '../../packages/trellis/test/support/port.ts';
import { PostgresServer } from '../../packages/trellis/test/support/postgres.ts';
import { installedPostgres } from '../../packages/trellis/test/support/postgres-binaries.ts';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { blocks, run } from '../../packages/trellis/test/support/readme.ts';
import { start, type Started } from '../../packages/trellis/test/support/service.ts';
import { describeWith } from '../../packages/contract/test/support/skipping.ts';
import { until } from '../../packages/trellis/test/support/until.ts';

const HEADINGS = ['Set up', 'Start', 'Use', 'Back up and restore'];
const [database = '', settings = '', terminals = '', first = '', importing = '', watching = '', restoring = ''] =
  HEADINGS.flatMap((heading) => blocks('two-instances', heading, 'sh'));
const FIRST = '9007199254740993';
const LAST = '9007199255740992';
const SHORT = '9007199254745992';
const COUNT = Number(BigInt(SHORT) - BigInt(FIRST)) + 1;

const POSTGRES = installedPostgres();
const missing = POSTGRES === undefined ? 'there is no PostgreSQL of Debian' : whyNoNginx();

describeWith(missing, 'the lines of docs/two-instances.md', () => {
  const project = new Project();
  const started: Started[] = [];
  let server: PostgresServer;
  /** Maps each port in the text of the page to a free port of this machine. */
  const ports = new Map<string, string>();
  const here = (text: string) =>
    text.replace(/\b(5432|8080|4000|3001|3002|9001|9002)\b/g, (port) => ports.get(port) ?? port).replace(LAST, SHORT);
  const walk = async (lines: string) => {
    // The PATH begins with the programs of this server's version, because the machine may also have another version.
    const path = `PATH="${join(POSTGRES ?? '', 'bin')}:$PATH"`;
    const { code, stdout, stderr } = await run(project, `set -euo pipefail; export ${path}\n${here(lines)}`);
    expect({ lines, code, stderr }).toMatchObject({ lines, code: 0 });
    return stdout + stderr;
  };

  beforeAll(async () => {
    server = await PostgresServer.create({}, POSTGRES);
    ports.set('5432', String(server.port));
    for (const port of ['8080', '4000', '3001', '3002', '9001', '9002']) ports.set(port, String(await freePort()));
    for (const file of ['deploy/listen.conf', 'deploy/upstreams.conf']) project.write(file, here(project.read(file)));
  });
  afterAll(async () => {
    for (const { child } of started) child.kill('SIGTERM');
    await Promise.all(started.map(({ ended }) => ended));
    await server.remove();
  });

  test('creates a database, and the settings that both instances share', async () => {
    await walk(database.replaceAll('sudo -u postgres psql', 'psql -U postgres -h 127.0.0.1 -p 5432'));
    await walk(settings);
    expect(project.read('.env')).toContain('JWT_ISSUER=');
  });

  test('starts a provider, two instances and nginx, each in its own terminal', async () => {
    const lines = here(terminals).trim().split('\n');
    expect(lines).toHaveLength(4);
    const { PATH = '' } = process.env;
    for (const line of lines) {
      const command = line.replace(/(?=npm run provider)/, `PORT=${ports.get('4000') ?? ''} `);
      started.push(start('bash', ['--norc', '-c', command], { PATH }, project.folder));
    }
    for (const port of ['9001', '9002']) await answers(`http://127.0.0.1:${ports.get(port) ?? ''}/readyz`);
    await answers(`http://127.0.0.1:${ports.get('4000') ?? ''}/.well-known/openid-configuration`);
    await answers(`http://127.0.0.1:${ports.get('8080') ?? ''}/garden/openapi.json`);
  });

  test('creates a plant with a token of the provider', async () => {
    expect(await walk(first)).toContain('{"name":"Ginkgo biloba"}');
  });

  test('imports plants, and counts them in the metrics', async () => {
    expect(await walk(importing)).toMatch(new RegExp(`${COUNT.toLocaleString('en')}|${COUNT}`));
    // The service counts its plants every few seconds.
    await until(async () => (await walk(watching)).includes(`plant_store_plants ${COUNT + 1}`));
    expect(await walk(watching)).toContain('plant_store_http_requests_total{');
  });

  test('backs up, removes a plant, restores, and exports every plant digit for digit', async () => {
    await walk(restoring);
    const exported = project.read('after.ndjson').trim().split('\n');
    expect(exported).toHaveLength(COUNT + 1);
    expect(exported[1]).toBe(`{"id":${FIRST},"name":"Plant ${FIRST}"}`);
    expect(exported.at(-1)).toBe(`{"id":${SHORT},"name":"Plant ${SHORT}"}`);
    expect(await walk(first)).toContain('{"name":"Ginkgo biloba"}');
    expect(started.map(({ child }) => child.exitCode)).toEqual([null, null, null, null]);
  });
});

const answers = (url: string) => until(async () => (await fetch(url).catch(() => undefined))?.ok);
