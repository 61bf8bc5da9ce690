import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, globSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { MAX } from '../packages/trellis/src/http/bounds.ts';
import { scrape, untilSample } from '../packages/trellis/test/support/metrics.ts';
import { sharedPostgres } from '../packages/trellis/test/support/postgres.ts';
import { testWithPromtool } from '../packages/trellis/test/support/promtool.ts';
import { AUDIENCE, makeKey, TestProvider } from '../packages/trellis/test/support/provider.ts';
import { byHand, sendRaw } from '../packages/trellis/test/support/raw.ts';
import { blocks, page } from '../packages/trellis/test/support/readme.ts';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { createPlant, plantStore, startPlantInstance, tellBackup } from './support.ts';

const OBSERVABILITY = page('observability');
const [scraping = ''] = blocks('prometheus', 'Prometheus', 'yaml');
const RULES = 'deploy/prometheus/plant-store.rules.yml';
const alerts = readFileSync(join(ROOT, RULES), 'utf8');
const names = [...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name);
/** Returns the rows of the tables under a heading: for each row its cells, without backticks. */
const rowsOf = (heading: string) =>
  [...(OBSERVABILITY.split(`## ${heading}\n`)[1]?.split('\n## ')[0] ?? '').matchAll(/^\| (`.*) \|$/gm)].map(
    ([, row = '']) => row.split(' | ').map((cell) => cell.trim().replaceAll('`', '')),
  );

// This service does everything that changes its metrics or adds members to its log.
const file = join(temporaryFolder(), 'plants.db');
await using provider = await TestProvider.start([await makeKey('readme')]);
const tokenFile = join(temporaryFolder(), 'tokens');
writeFileSync(tokenFile, 'x'.repeat(32));
const service = await startPlantInstance({
  ADMIN_PORT: '0',
  DATABASE_URL: `sqlite:${file}`,
  JWT_ISSUER: provider.issuer,
  TOKEN_FILE: tokenFile,
  JWT_AUDIENCE: AUDIENCE,
});
const { stdout: token } = await plantStore(['token', 'create', 'reader'], { DATABASE_URL: `sqlite:${file}` });
const reader = { url: service.url, token: token.trim() };
const { HOST, AUTH, post } = byHand(reader, '/plants');
const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
await createPlant(reader, '{"id":1,"name":"x"}', { traceparent });
await createPlant({ ...reader, token: await provider.token() }, '{"id":1,"name":"x"}');
await createPlant(reader, '{}');
await sendRaw(service.url, 'NONSENSE\r\n\r\n');
const gone = connect(Number(new URL(service.url).port), '127.0.0.1');
gone.write(`${post(HOST, AUTH, 'Content-Type: application/json', 'Content-Length: 100')}{`);
await untilSample(service, 'plant_store_http_requests_in_flight', 1);
gone.destroy();
const database = new DatabaseSync(file, { timeout: 5000 });
database.exec('alter table plants rename to lost');
database.close();
await createPlant(reader, '{"id":2,"name":"x"}');
const text = await untilSample(service, 'plant_store_http_requests_in_flight', 0);
await service.stop();
const server = await sharedPostgres();
const other = await startPlantInstance({ ADMIN_PORT: '0', DATABASE_URL: server.url(await server.createDatabase()) });
/** The lines of each metric, by its name. Some metrics depend on the engine; that of backups comes from the backup unit. */
const served = new Map(
  [await scrape(other), tellBackup(temporaryFolder()), text]
    .flatMap((each) => each.split(/(?=^# HELP )/m))
    .map((family) => [/^# TYPE (\w+)/m.exec(family)?.[1] ?? '', family]),
);
await other.stop();

test('docs/observability.md lists each metric of the service, with its type and its labels', () => {
  const own = [...served].filter(([name]) => name.startsWith('plant_store_'));
  const rows = own.map(([name, family]) => {
    const samples = family.match(new RegExp(`^${name}(_count)?(\\{.*\\})? `, 'gm')) ?? [];
    const labels = new Set(samples.flatMap((each) => [...each.matchAll(/([a-z_]+)="/g)].map(([, label]) => label)));
    return [name, /^# TYPE \w+ (\w+)$/m.exec(family)?.[1], [...labels].join(', ')];
  });
  const documented = rowsOf('Metrics').map((cells) => cells.slice(0, 3));
  expect(documented.toSorted()).toEqual(rows.toSorted());
});

test('docs/observability.md lists each outcome and each kind of error', () => {
  for (const [, value = ''] of text.matchAll(/^plant_store_\w+_total\{(?:outcome|kind)="(\w+)"\}/gm))
    expect(OBSERVABILITY).toContain(`\`${value}\``);
});

test('docs/observability.md lists each member of the log lines of requests', () => {
  const lines = service.log().filter(({ msg }) => String(msg).endsWith('request') || msg === 'request failed');
  const logged = new Set(lines.flatMap((line) => Object.keys(line)));
  // The rows after `msg` are the messages of the other log lines.
  const documented = rowsOf('Log').map(([name]) => name);
  expect(documented.slice(0, documented.indexOf('msg') + 1).toSorted()).toEqual([...logged].toSorted());
});

test('docs/observability.md lists each log message in the sources', () => {
  const sources = globSync('packages/{contract,trellis}/src/**/*.ts', { cwd: ROOT }).map((file) =>
    readFileSync(join(ROOT, file), 'utf8'),
  );
  const calls = /(?:logger(?:\.\w+|\[.*\])\((?:\{.*\}, |\w+, )?|(?<!\.)\bend\(|toLine\('warn', members, )'([^']+)'/g;
  const messages = sources.flatMap((text) => Array.from(text.matchAll(calls), ([, message = '']) => message));
  expect(messages.length).toBeGreaterThan(15);
  // It begins with the name of what was not tested.
  for (const message of [...messages, '… was not tested with this service'])
    expect(OBSERVABILITY).toContain(`\`${message}\``);
});

test('the service has each metric that an alert reads', () => {
  const metrics = new Set(alerts.match(/\b(plant_store|nodejs|process)_\w+/g));
  expect(metrics.size).toBeGreaterThan(3);
  const all = [...served.values()].join('');
  for (const name of metrics) expect(all).toMatch(new RegExp(`^${name}(\\{.*\\})? \\d`, 'm'));
});

testWithPromtool('promtool accepts the configuration of Prometheus in docs/prometheus.md', (promtool) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, dirname(RULES)), { recursive: true });
  copyFileSync(join(ROOT, RULES), join(folder, RULES));
  writeFileSync(join(folder, 'prometheus.yml'), scraping);
  const { status, stdout, stderr } = spawnSync(
    promtool,
    ['check', 'config', '--lint=all', '--lint-fatal', 'prometheus.yml'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  expect({ status, stdout, stderr }).toMatchObject({
    status: 0,
    stdout: expect.stringContaining(`${names.length} rules found`),
  });
});

interface State {
  readonly up: number;
  readonly ready: number;
  readonly failures: number;
  readonly waiting: number;
  readonly quick: number;
  readonly age: string;
  readonly usable: number;
  readonly free: number;
  readonly backup: number;
  readonly refused: number;
  readonly waitingQueries: number;
  readonly memory: number;
  readonly lag: number;
  readonly probe: number;
  readonly expiry: number;
}
const GOOD: State = {
  up: 1,
  ready: 1,
  failures: 0,
  waiting: 1000,
  quick: 100,
  age: '700',
  usable: 1,
  free: 2e9,
  backup: 0,
  refused: 0,
  waitingQueries: 0,
  memory: 5e8,
  lag: 0.011,
  probe: 1,
  expiry: 30 * 86_400,
};
const BAD: State = {
  up: 0,
  ready: 0,
  failures: 20,
  waiting: MAX.underWay - 100,
  quick: 90,
  age: '1900',
  usable: 0,
  free: 5e8,
  backup: -100_000,
  refused: 500,
  waitingQueries: 3,
  memory: 9.5e8,
  lag: 1,
  probe: 0,
  expiry: 3 * 86_400,
};

/** The metrics of one instance for ten minutes, with a value for each 15 s. */
const steady = (state: State) => ({
  'up{job="plant-store",instance="a"}': `${state.up}x40`,
  'plant_store_ready{instance="a"}': `${state.ready}x40`,
  'plant_store_http_requests_total{operation="createPlant",status="200",instance="a"}': '0+1000x40',
  'plant_store_http_requests_total{operation="createPlant",status="503",instance="a"}': `0+${state.failures}x40`,
  'plant_store_store_errors_total{kind="unavailable",instance="a"}': `0+${state.failures}x40`,
  'plant_store_waiting_writes{instance="a"}': `${state.waiting}x40`,
  'plant_store_commit_duration_seconds_bucket{le="1",instance="a"}': `0+${state.quick}x40`,
  'plant_store_commit_duration_seconds_bucket{le="2.5",instance="a"}': '0+100x40',
  'plant_store_commit_duration_seconds_bucket{le="+Inf",instance="a"}': '0+100x40',
  'plant_store_issuer_keys_age_seconds{instance="a"}': `${state.age}x40`,
  'plant_store_token_file_usable{instance="a"}': `${state.usable}x40`,
  'plant_store_disk_free_bytes{instance="a"}': `${state.free}x40`,
  'plant_store_disk_size_bytes{instance="a"}': '1e10x40',
  'plant_store_backup_time_seconds{instance="c"}': `${state.backup}x40`,
  'plant_store_connections_cut_off_total{reason="unread",instance="a"}': `0+${state.failures * 4}x40`,
  'plant_store_log_lines_dropped_total{instance="a"}': `0+${state.failures}x40`,
  'plant_store_http_requests_total{operation="listPlants",status="500",instance="a"}': `0+${state.failures / 20}x40`,
  'plant_store_http_requests_total{operation="createPlant",status="401",instance="b"}': `0+${state.failures}x40`,
  'plant_store_http_requests_total{operation="createPlant",status="200",instance="b"}': '0x40',
  'plant_store_http_requests_total{operation="createPlant",status="403",instance="a"}': `0+${state.refused}x40`,
  'process_start_time_seconds{job="plant-store",instance="a"}': `0+${state.failures}x40`,
  'plant_store_waiting_queries{instance="a"}': `${state.waitingQueries}x40`,
  'process_resident_memory_bytes{job="plant-store",instance="a"}': `${state.memory}x40`,
  'plant_store_memory_limit_bytes{job="plant-store",instance="a"}': '1e9x40',
  'nodejs_eventloop_lag_p99_seconds{job="plant-store",instance="a"}': `${state.lag}x40`,
  'probe_success{job="plant-store-front",instance="f"}': `${state.probe}x40`,
  'probe_ssl_earliest_cert_expiry{job="plant-store-front",instance="f"}': `${state.expiry}x40`,
  'node_filesystem_avail_bytes{job="plant-store-node",fstype="ext4",mountpoint="/",instance="d"}': `${state.free}x40`,
  'node_filesystem_size_bytes{job="plant-store-node",fstype="ext4",mountpoint="/",instance="d"}': '1e10x40',
});
/** The same metrics of an instance that is good, but bad at the seventh and eighth sample. It loses no lines. */
const badFor15s = () => {
  const bad = Object.entries(steady(BAD));
  const values = Object.entries(steady(GOOD)).map(([series, good], index) => {
    const [, text = ''] = bad[index] ?? [];
    const step = Number(/^0\+(\d+)x/.exec(text)?.[1]);
    if (series.startsWith('plant_store_log')) return [series, good];
    if (step > 0) return [series, `0x5 ${step} ${2 * step}x33`];
    return [series, `${good.replace('x40', 'x5')} ${text.replace('x40', 'x1')} ${good.replace('x40', 'x32')}`];
  });
  return Object.fromEntries(values) as Readonly<Record<string, string>>;
};

/** Labels by the name of the alert. */
type Labels = Readonly<Record<string, Readonly<Record<string, string>>>>;

/** The labels of each alert that fires for a bad instance. */
const FIRING: Labels = {
  PlantStoreDown: { severity: 'critical', job: 'plant-store', instance: 'a' },
  PlantStoreNotReady: { severity: 'critical', instance: 'a' },
  PlantStoreFails: { severity: 'critical' },
  PlantStoreOnlyFails: { severity: 'critical', operation: 'listPlants', instance: 'a' },
  PlantStoreRefusesTokens: { severity: 'critical', instance: 'b', status: '401' },
  PlantStoreRestarts: { severity: 'critical', job: 'plant-store', instance: 'a' },
  PlantStoreCannotStore: { severity: 'critical', kind: 'unavailable', instance: 'a' },
  PlantStoreDiskFull: { severity: 'critical', instance: 'a' },
  PlantStoreBackupOld: { severity: 'critical', instance: 'c' },
  PlantStoreServerDiskFull: {
    severity: 'critical',
    job: 'plant-store-node',
    fstype: 'ext4',
    mountpoint: '/',
    instance: 'd',
  },
  PlantStoreFrontDown: { severity: 'critical', job: 'plant-store-front', instance: 'f' },
  PlantStoreCertificateEnds: { severity: 'warning', job: 'plant-store-front', instance: 'f' },
  PlantStoreMemoryShort: { severity: 'warning', job: 'plant-store', instance: 'a' },
  PlantStoreBlocked: { severity: 'warning', job: 'plant-store', instance: 'a' },
  PlantStoreSessionsShort: { severity: 'warning', instance: 'a' },
  PlantStoreQueues: { severity: 'warning', instance: 'a' },
  PlantStoreCommitsSlowly: { severity: 'warning', instance: 'a' },
  PlantStoreKeysOld: { severity: 'critical', instance: 'a' },
  PlantStoreTokenFileUnusable: { severity: 'critical', instance: 'a' },
  PlantStoreCutsOff: { severity: 'warning', reason: 'unread', instance: 'a' },
  PlantStoreLosesLog: { severity: 'warning', instance: 'a' },
};

test('each alert is in docs/observability.md, and has a summary and a runbook', () => {
  for (const name of names) expect(OBSERVABILITY).toContain(`\`${String(name)}\``);
  expect(alerts.match(/^ {10}summary: '.+'$/gm)).toHaveLength(names.length);
  expect(alerts.match(/^ {10}runbook: >-$/gm)).toHaveLength(names.length);
});

/** Has promtool compute which alerts fire. @param firing by time: the labels of each alert that fires then */
function expectFiring(
  promtool: string,
  series: Readonly<Record<string, string>>,
  firing: Readonly<Record<string, Labels>>,
  interval = '15s',
): void {
  const folder = temporaryFolder();
  // The test compares only the labels, so it removes the annotations.
  writeFileSync(join(folder, 'rules.yml'), alerts.replaceAll(/ {8}annotations:\n(?: {10}.*\n)+/g, ''));
  const tests = {
    interval,
    input_series: Object.entries(series).map(([series, values]) => ({ series, values })),
    alert_rule_test: Object.entries(firing).flatMap(([eval_time, labels]) =>
      [...new Set([...names, ...Object.keys(labels)])].map((alertname = '') => {
        const exp_labels = labels[alertname];
        return { eval_time, alertname, exp_alerts: exp_labels === undefined ? [] : [{ exp_labels }] };
      }),
    ),
  };
  // The file that promtool reads must be YAML; JSON is valid YAML.
  writeFileSync(
    join(folder, 'tests.yml'),
    JSON.stringify({ rule_files: ['rules.yml'], evaluation_interval: interval, tests: [tests] }),
  );
  const options = { cwd: folder, encoding: 'utf8' } as const;
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', 'tests.yml'], options);
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCESS') });
}

testWithPromtool('each alert but two fires for a bad instance, and none for a good one', (promtool) => {
  const others = ['PlantStoreMissing', 'PlantStoreRefusesMany'];
  expect(names.toSorted()).toEqual([...others, ...Object.keys(FIRING)].toSorted());
  expectFiring(promtool, steady(BAD), { '10m': FIRING });
  expectFiring(promtool, steady(GOOD), { '10m': {} });
});

testWithPromtool('no alert but that on lost lines fires after trouble of 15 seconds', (promtool) => {
  const times = Array.from({ length: 35 }, (_, index) => `${90 + 15 * index}s`);
  expectFiring(promtool, badFor15s(), Object.fromEntries(times.map((at) => [at, {}])));
});

test('the alert on waiting writes fires below the number of operations that may run', () => {
  const threshold = Number(/plant_store_waiting_writes > (\d+)/.exec(alerts)?.[1]);
  expect(threshold).toBeLessThan(MAX.underWay);
  expect(alerts).toContain(`beyond ${MAX.underWay.toLocaleString('en')} operations`);
});

testWithPromtool(
  'the alert on readiness fires within two minutes for a store that is away without requests',
  (promtool) => {
    const { PlantStoreNotReady = {} } = FIRING;
    const firing = { PlantStoreNotReady };
    expectFiring(promtool, steady({ ...GOOD, ready: 0 }), { '2m': firing, '10m': firing });
  },
);

testWithPromtool(
  'an alert fires for twelve creates in sixteen minutes that all fail, until one succeeds',
  (promtool) => {
    // A sample is taken each 15 s. Every fifth or sixth has one more failure, and the last ten have a success.
    const failed = Array.from({ length: 75 }, (_, index) => Math.floor((index * 12) / 64)).join(' ');
    const series = {
      'up{job="plant-store",instance="a"}': '1x74',
      'plant_store_http_requests_total{operation="createPlant",status="500",instance="a"}': failed,
      'plant_store_http_requests_total{operation="createPlant",status="200",instance="a"}': '0x64 1x9',
      'plant_store_http_requests_total{operation="showPlant",status="200",instance="a"}': '0+1x74',
    };
    const firing = { PlantStoreOnlyFails: { ...FIRING['PlantStoreOnlyFails'], operation: 'createPlant' } };
    expectFiring(promtool, series, { '8m': firing, '12m': firing, '16m': firing, '17m': {}, '18m': {} });
  },
);

testWithPromtool('the alert on the disk fires for a large one only when it is short of space in itself', (promtool) => {
  const disk = (free: number) => ({
    'up{job="plant-store",instance="a"}': '1x40',
    'plant_store_disk_free_bytes{instance="a"}': `${free}x40`,
    'plant_store_disk_size_bytes{instance="a"}': '1e12x40',
  });
  const { PlantStoreDiskFull = {} } = FIRING;
  expectFiring(promtool, disk(2e10), { '10m': {} });
  expectFiring(promtool, disk(9e9), { '10m': { PlantStoreDiskFull } });
});

testWithPromtool('the alert on backups fires after the metric has gone, and ends with the next backup', (promtool) => {
  const { PlantStoreBackupOld = {} } = FIRING;
  const series = {
    'up{job="plant-store",instance="a"}': '1x180',
    // The metric goes after ten minutes, and comes back with a new backup after 28 hours.
    'plant_store_backup_time_seconds{instance="c"}': `0 _x${28 * 6 - 1} ${28 * 3600}x5`,
  };
  // One sample each ten minutes, because promtool computes 28 hours.
  expectFiring(promtool, series, { '25h': {}, '27h': { PlantStoreBackupOld }, '28h10m': {} }, '10m');
});

testWithPromtool('the alert on backups fires for one machine, although another one has a new backup', (promtool) => {
  const { PlantStoreBackupOld = {} } = FIRING;
  const series = {
    'up{job="plant-store",instance="a"}': '1x180',
    'plant_store_backup_time_seconds{instance="c"}': '0x180',
    'plant_store_backup_time_seconds{instance="e"}': `0x${24 * 6} ${24 * 3600}x36`,
  };
  expectFiring(promtool, series, { '25h': {}, '27h': { PlantStoreBackupOld } }, '10m');
});

testWithPromtool(
  'the alert on backups is silent where the instances say that another program makes them',
  (promtool) => {
    const series = { 'up{job="plant-store",backup="elsewhere",instance="a"}': '1x180' };
    expectFiring(promtool, series, { '27h': {}, '29h': {} }, '10m');
  },
);

testWithPromtool('the alert on failures fires for creates beside many requests that no operation gets', (promtool) => {
  const series = {
    'up{job="plant-store",instance="a"}': '1x40',
    'plant_store_http_requests_total{operation="createPlant",status="200",instance="a"}': '0+1x40',
    'plant_store_http_requests_total{operation="createPlant",status="503",instance="a"}': '0+10x40',
    'plant_store_http_requests_total{operation="none",status="404",instance="a"}': '0+20000x40',
    'plant_store_http_requests_total{operation="createPlant",status="401",instance="a"}': '0+2000x40',
  };
  const { PlantStoreFails = {} } = FIRING;
  expectFiring(promtool, series, { '10m': { PlantStoreFails } });
});

testWithPromtool(
  'an alert fires for one refusal a minute, of each kind, until a request is not refused',
  (promtool) => {
    for (const status of ['401', '403', '429']) {
      const requests = (status: string) =>
        `plant_store_http_requests_total{operation="createPlant",status="${status}",instance="b"}`;
      const series = {
        'up{job="plant-store",instance="b"}': '1x40',
        [requests(status)]: '0+1x40',
        [requests('200')]: '0x12 1x28',
      };
      const PlantStoreRefusesTokens = { ...FIRING['PlantStoreRefusesTokens'], status };
      expectFiring(promtool, series, { '11m': { PlantStoreRefusesTokens }, '14m': {} }, '1m');
    }
  },
);

testWithPromtool('an alert fires for all clients but one that are refused', (promtool) => {
  const series = {
    'up{job="plant-store",instance="a"}': '1x40',
    'plant_store_http_requests_total{operation="createPlant",status="200",instance="a"}': '0+60x40',
    'plant_store_http_requests_total{operation="createPlant",status="401",instance="a"}': '0+60x40',
  };
  const PlantStoreRefusesMany = { severity: 'warning', status: '401' };
  expectFiring(promtool, series, { '14m': {}, '20m': { PlantStoreRefusesMany } }, '1m');
});

testWithPromtool('the alert on restarts fires for a crash every five minutes', (promtool) => {
  const { PlantStoreRestarts = {} } = FIRING;
  const started = Array.from({ length: 60 }, (_, minute) => Math.floor(minute / 5)).join(' ');
  const series = {
    'up{job="plant-store",instance="a"}': '1x60',
    'process_start_time_seconds{job="plant-store",instance="a"}': started,
  };
  expectFiring(promtool, series, { '20m': {}, '40m': { PlantStoreRestarts } }, '1m');
});

testWithPromtool('the alert on memory fires for a heap that is full after each collection', (promtool) => {
  const { PlantStoreMemoryShort = {} } = FIRING;
  const series = (least: number) => ({
    'up{job="plant-store",instance="a"}': '1x60',
    'nodejs_heap_size_used_bytes{job="plant-store",instance="a"}': Array(30).fill(`4.9e8 ${least}`).join(' '),
    'plant_store_heap_limit_bytes{job="plant-store",instance="a"}': '5e8x60',
  });
  expectFiring(promtool, series(2e8), { '20m': {} }, '1m');
  expectFiring(promtool, series(4.5e8), { '20m': { PlantStoreMemoryShort } }, '1m');
});

testWithPromtool('the alert on the front fires if the probe itself has ended', (promtool) => {
  const { PlantStoreFrontDown = {} } = FIRING;
  const series = { 'up{job="plant-store",instance="a"}': '1x40', 'up{job="plant-store-front",instance="f"}': '0x40' };
  expectFiring(promtool, series, { '10m': { PlantStoreFrontDown } });
});

testWithPromtool('the alert on backups fires after a day and two hours without any', (promtool) => {
  const PlantStoreBackupOld = { severity: 'critical' };
  const series = { 'up{job="plant-store",instance="a"}': '1x180', 'up{job="plant-store",instance="b"}': '1x180' };
  expectFiring(promtool, series, { '25h': {}, '27h': { PlantStoreBackupOld } }, '10m');
});

testWithPromtool('the alert on a missing job fires for a Prometheus that reads no instance', (promtool) => {
  const PlantStoreMissing = { severity: 'critical', job: 'plant-store' };
  expectFiring(promtool, { 'up{job="another",instance="b"}': '1x40' }, { '6m': { PlantStoreMissing } });
});
