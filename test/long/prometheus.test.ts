import { execFileSync, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { adminUrl } from '../../packages/trellis/test/support/metrics.ts';
import { freePort } from '../../packages/trellis/test/support/port.ts';
import { sharedPostgres } from '../../packages/trellis/test/support/postgres.ts';
import { AUDIENCE, makeKey, TestProvider } from '../../packages/trellis/test/support/provider.ts';
import { blocks } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, type Service, start, type Started } from '../../packages/trellis/test/support/service.ts';
import { describeWith } from '../../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { until } from '../../packages/trellis/test/support/until.ts';
import { createPlant, startPlants, tellBackup } from '../support.ts';

const RULES = 'deploy/prometheus/plant-store.rules.yml';
const [scraping = ''] = blocks('prometheus', 'Prometheus', 'yaml');

interface Panel {
  readonly id: number;
  readonly title: string;
  readonly datasource: { readonly uid: string };
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number };
  readonly targets: readonly { readonly refId: string; readonly expr: string }[];
}
interface Dashboard {
  readonly panels: readonly Panel[];
  readonly templating: {
    readonly list: readonly { readonly name: string; readonly query: string | { query: string } }[];
  };
}
const dashboard = JSON.parse(readFileSync(join(ROOT, 'deploy/grafana/plant-store.json'), 'utf8')) as Dashboard;

/** Samples, each as its time and its value as text. */
type Result = readonly { readonly value: readonly [number, string] }[];

test('the panels of the dashboard have unique ids, and do not overlap', () => {
  const { panels } = dashboard;
  expect(new Set(panels.map(({ id }) => id)).size).toBe(panels.length);
  const cells = panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, index) => `${x + (index % w)},${y + Math.floor(index / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
  expect(panels.every(({ gridPos: { x, w } }) => x + w <= 24)).toBe(true);
  expect(new Set(panels.map(({ datasource }) => datasource.uid))).toEqual(new Set(['${datasource}']));
});

const EXPORTER = 'prometheus-node-exporter';
const PROBE = 'prometheus-blackbox-exporter';
const lacking = ['prometheus', EXPORTER, PROBE].filter((each) => spawnSync(each, ['--version']).status !== 0);
const missing =
  lacking.length === 0 ? undefined : `there is no ${lacking.join(', no ')}: install the Debian packages of these names`;

describeWith(missing, 'with three instances under load, on SQLite and PostgreSQL,', () => {
  let services: Service[];
  let provider: TestProvider;
  let front: Server;
  let programs: Started[];
  let url: string;

  const ask = async <T>(path: string): Promise<T> => {
    const { status, data, error } = (await (await fetch(`${url}/api/v1/${path}`)).json()) as Record<string, unknown>;
    expect({ path, status, error }).toEqual({ path, status: 'success', error: undefined });
    return data as T;
  };
  const query = async (expr: string) =>
    (await ask<{ result: Result }>(`query?query=${encodeURIComponent(expr)}`)).result;
  const hasData = async (expr: string) =>
    (await query(expr)).some(({ value: [, text] }) => Number.isFinite(Number(text)));

  beforeAll(async () => {
    provider = await TestProvider.start([await makeKey('prometheus')]);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'tokens'), 'x'.repeat(32));
    const environment = {
      DATABASE_URL: `sqlite:${join(folder, 'plants.db')}`,
      ADMIN_PORT: '0',
      JWT_ISSUER: provider.issuer,
      TOKEN_FILE: join(folder, 'tokens'),
      JWT_AUDIENCE: AUDIENCE,
    };
    const server = await sharedPostgres();
    const DATABASE_URL = server.url(await server.createDatabase());
    const settings = [environment, environment, { ...environment, DATABASE_URL }];
    services = await Promise.all(settings.map((each) => startPlants(each)));
    const exported = `127.0.0.1:${await freePort()}`;
    const told = temporaryFolder();
    tellBackup(told);
    const of = [
      'collector.disable-defaults',
      'collector.filesystem',
      'collector.textfile',
      `collector.textfile.directory=${told}`,
    ];
    const exporter = [...of, `web.listen-address=${exported}`].map((each) => `--${each}`);
    // What stands before the instances, for the probe.
    const made = '-x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout key.pem -out cert.pem -days 60';
    const named = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost'];
    execFileSync('openssl', ['req', ...made.split(' '), ...named], { cwd: folder, stdio: 'pipe' });
    const pem = (name: string) => readFileSync(join(folder, `${name}.pem`));
    front = createServer({ cert: pem('cert'), key: pem('key') }, (_, response) => response.end());
    const { port } = (await once(front.listen(0, '127.0.0.1'), 'listening').then(() => front.address())) as AddressInfo;
    const module = readFileSync(join(ROOT, 'deploy/prometheus/blackbox.yml'), 'utf8');
    writeFileSync(join(folder, 'blackbox.yml'), `${module}      tls_config: { ca_file: cert.pem }\n`);
    const probe = `127.0.0.1:${await freePort()}`;
    const targets = services.map((service) => `'${new URL(adminUrl(service)).host}'`).join(', ');
    const config = scraping
      .replace("'127.0.0.1:9464'", targets)
      .replace('127.0.0.1:9100', exported)
      .replace('127.0.0.1:9115', probe)
      .replace('https://plants.example', `https://localhost:${port}`)
      .replace(/ {4}scrape_interval: 15s\n/, '')
      .replace(/^/, 'global: { scrape_interval: 1s }\n')
      .replace(RULES, join(ROOT, RULES));
    writeFileSync(join(folder, 'prometheus.yml'), config);
    const address = `127.0.0.1:${await freePort()}`;
    url = `http://${address}`;
    const args = ['config.file=prometheus.yml', 'storage.tsdb.path=series', `web.listen-address=${address}`];
    programs = [
      start(EXPORTER, exporter, {}, folder),
      start(PROBE, ['--config.file=blackbox.yml', `--web.listen-address=${probe}`], {}, folder),
      start('prometheus', [...args.map((each) => `--${each}`), '--log.level=warn'], {}, folder),
    ];
    await until(async () => (await fetch(`${url}/-/ready`).catch(() => undefined))?.status === 200);

    // A rate needs two samples with requests between them.
    const token = await provider.token();
    for (let id = 0; (await query('up == 1 and count_over_time(up[1m]) >= 4')).length < 5; id++) {
      const bodies = [`{"id":${id},"name":"x"}`, `{"id":${id},"name":"y"}`, '{}'];
      for (const service of services)
        for (const body of bodies) await (await createPlant({ url: service.url, token }, body)).arrayBuffer();
    }
  });
  afterAll(async () => {
    for (const { child } of programs) child.kill('SIGTERM');
    await Promise.all([...programs.map(({ ended }) => ended), ...services.map((service) => service.stop())]);
    await provider[Symbol.asyncDispose]();
    front.close().closeAllConnections();
  });

  test('the probe of the front succeeds', async () => {
    const [{ value } = { value: [] }] = await query('probe_success');
    expect(value[1]).toBe('1');
  });

  test('Prometheus has data for each query of the dashboard', async () => {
    const here = (expr: string) =>
      expr.replaceAll('$job', 'plant-store').replaceAll('$instance', '.+').replaceAll('$__rate_interval', '1m');
    for (const { title, targets } of dashboard.panels)
      for (const { expr } of targets)
        expect({ title, expr, found: await hasData(here(expr)) }).toEqual({ title, expr, found: true });
    const queries = dashboard.templating.list.map(({ query }) => (typeof query === 'string' ? '' : query.query));
    for (const [, metric = '', label = ''] of queries.flatMap((each) => [
      ...here(each).matchAll(/^label_values\((.*), (\w+)\)$/g),
    ]))
      expect(await ask<string[]>(`label/${label}/values?match[]=${encodeURIComponent(metric)}`)).toHaveLength(
        label === 'job' ? 1 : services.length,
      );
  });

  test('Prometheus has data for the expression of each alert', async () => {
    type Rule = Readonly<Record<'name' | 'health' | 'query', string>>;
    const { groups } = await ask<{ groups: { rules: Rule[] }[] }>('rules');
    const rules = groups.flatMap((group) => group.rules);
    expect(rules).toHaveLength([...readFileSync(join(ROOT, RULES), 'utf8').matchAll(/alert: /g)].length);
    for (const { name, query } of rules) {
      // Without its comparisons, an expression has data as soon as each of its metrics has.
      const expr = query
        .replace(/ unless .*/, '')
        .replaceAll(/ ([<>]|==) [\d.e]+/g, '')
        .replaceAll(' offset 5m', '')
        .replace(/^absent\((.*)\)$/, '$1');
      expect({ name, found: await hasData(expr) }).toEqual({ name, found: true });
    }
  });
});
