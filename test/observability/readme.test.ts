import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from '@jest/globals';
import { untilSample } from '../support/metrics.ts';
import { testWithPromtool } from '../support/promtool.ts';
import { AUDIENCE, makeKey, TestProvider } from '../support/provider.ts';
import { byHand, sendRaw } from '../support/raw.ts';
import { blocks, README } from '../support/readme.ts';
import { createPlant, plantStore, startService } from '../support/service.ts';
import { temporaryFolder } from '../support/temporary.ts';

const section = README.split(/^### /m).find((each) => each.startsWith('Observing\n')) ?? '';
const [scraping = '', alerts = ''] = blocks('Observing', 'yaml');
/** The cells of the rows of the section's tables, without the ticks of code. */
const rows = [...section.matchAll(/^\| (`.*) \|$/gm)].map(([, row = '']) =>
  row.split(' | ').map((cell) => cell.trim().replaceAll('`', '')),
);

/** What a service that has done everything tells, and has logged. */
const file = join(temporaryFolder(), 'plants.db');
await using provider = await TestProvider.start([await makeKey('readme')]);
const service = await startService({
  ADMIN_PORT: '0',
  DATABASE_URL: `sqlite:${file}`,
  JWT_ISSUER: provider.issuer,
  JWT_AUDIENCE: AUDIENCE,
});
const { stdout: token } = await plantStore(['token', 'create', 'reader'], { DATABASE_URL: `sqlite:${file}` });
const reader = { url: service.url, token: token.trim() };
const { HOST, AUTH, post } = byHand(reader);
await createPlant(reader, '{"id":1,"name":"x"}');
await createPlant({ ...reader, token: await provider.token() }, '{"id":1,"name":"x"}');
await createPlant(reader, '{}');
await sendRaw(service.url, 'NONSENSE\r\n\r\n');
const gone = connect(Number(new URL(service.url).port), '127.0.0.1');
gone.write(`${post(HOST, AUTH, 'Content-Type: application/json', 'Content-Length: 100')}{`);
await untilSample(service, 'plant_store_http_requests_in_flight', 1);
gone.destroy();
const database = new DatabaseSync(file);
database.exec('alter table plants rename to lost');
database.close();
await createPlant(reader, '{"id":2,"name":"x"}');
const text = await untilSample(service, 'plant_store_http_requests_in_flight', 0);
await service.stop();

test('README has each metric of the service, with its type and its labels', () => {
  const served = [...text.matchAll(/^# TYPE (plant_store_\w+) (\w+)$/gm)].map(([, name = '', type]) => {
    const samples = text.match(new RegExp(`^${name}(_count)?(\\{.*\\})? `, 'gm')) ?? [];
    const labels = new Set(samples.flatMap((each) => [...each.matchAll(/([a-z_]+)="/g)].map(([, label]) => label)));
    return [name, type, [...labels].join(', ')];
  });
  const documented = rows.filter(([name]) => name?.startsWith('plant_store_')).map((cells) => cells.slice(0, 3));
  expect(documented.toSorted()).toEqual(served.toSorted());
});

test('README has each outcome and each kind of error', () => {
  for (const [, value = ''] of text.matchAll(/^plant_store_\w+_total\{(?:outcome|kind)="(\w+)"\}/gm))
    expect(section).toContain(`\`${value}\``);
});

test('README has each member of the lines of requests in the log', () => {
  const lines = service.log().filter(({ msg }) => String(msg).endsWith('request') || msg === 'request failed');
  const logged = new Set(lines.flatMap((line) => Object.keys(line)));
  const documented = rows.filter((cells) => cells.length === 2).map(([name]) => name);
  expect(documented.toSorted()).toEqual([...logged].toSorted());
  for (const { msg } of lines) expect(section).toContain(`\`${String(msg)}\``);
});

test('what README looks at in Prometheus is served', () => {
  const names = new Set(alerts.match(/\b(plant_store|nodejs|process)_\w+/g));
  expect(names.size).toBeGreaterThan(3);
  for (const name of names) expect(text).toMatch(new RegExp(`^${name}(\\{.*\\})? \\d`, 'm'));
});

testWithPromtool('README configures Prometheus as it can be', (promtool) => {
  const folder = temporaryFolder();
  const [, rules = ''] = /^rule_files: \[(.*)\]$/m.exec(scraping) ?? [];
  writeFileSync(join(folder, rules), alerts);
  writeFileSync(join(folder, 'prometheus.yml'), scraping);
  const { status, stdout, stderr } = spawnSync(
    promtool,
    ['check', 'config', '--lint=all', '--lint-fatal', 'prometheus.yml'],
    {
      cwd: folder,
      encoding: 'utf8',
    },
  );
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('5 rules found') });
});

/** Ten minutes of an instance, a value for each minute, and the labels of each alert that comes of it. */
const minutes = (state: { up: number; failures: number; waiting: number; quick: number }) => ({
  'up{job="plant-store",instance="a"}': `${state.up}x10`,
  'plant_store_http_requests_total{operation="createPlant",status="200",instance="a"}': '0+1000x10',
  'plant_store_http_requests_total{operation="createPlant",status="503",instance="a"}': `0+${state.failures}x10`,
  'plant_store_store_errors_total{kind="unavailable",instance="a"}': `0+${state.failures}x10`,
  'plant_store_waiting_plants{instance="a"}': `${state.waiting}x10`,
  'plant_store_commit_duration_seconds_bucket{le="1",instance="a"}': `0+${state.quick}x10`,
  'plant_store_commit_duration_seconds_bucket{le="2.5",instance="a"}': '0+100x10',
  'plant_store_commit_duration_seconds_bucket{le="+Inf",instance="a"}': '0+100x10',
});
const FIRING: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  PlantStoreDown: { job: 'plant-store', instance: 'a' },
  PlantStoreFails: {},
  PlantStoreCannotStore: { kind: 'unavailable', instance: 'a' },
  PlantStoreQueues: { instance: 'a' },
  PlantStoreCommitsSlowly: { instance: 'a' },
};

testWithPromtool('each alert of the README is raised when it should be, and not else', (promtool) => {
  expect([...alerts.matchAll(/alert: (\w+)/g)].map(([, name]) => name)).toEqual(Object.keys(FIRING));
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'rules.yml'), alerts);
  const period = (state: Parameters<typeof minutes>[0], fires: boolean) => ({
    interval: '1m',
    input_series: Object.entries(minutes(state)).map(([series, values]) => ({ series, values })),
    alert_rule_test: Object.entries(FIRING).map(([alertname, exp_labels]) => ({
      eval_time: '10m',
      alertname,
      exp_alerts: fires ? [{ exp_labels }] : [],
    })),
  });
  const tests = [
    period({ up: 0, failures: 20, waiting: 9000, quick: 90 }, true),
    period({ up: 1, failures: 0, waiting: 1000, quick: 100 }, false),
  ];
  // What is JSON is YAML.
  writeFileSync(join(folder, 'tests.yml'), JSON.stringify({ rule_files: ['rules.yml'], tests }));
  const { status, stdout, stderr } = spawnSync(promtool, ['test', 'rules', 'tests.yml'], {
    cwd: folder,
    encoding: 'utf8',
  });
  expect({ status, stdout, stderr }).toMatchObject({ status: 0, stdout: expect.stringContaining('SUCCESS') });
});
