import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { settingsOf } from '../../packages/trellis/src/config.ts';
import { DEADLINE, MAX } from '../../packages/trellis/src/http/bounds.ts';
import { readPostgresLocation } from '../../packages/trellis/src/storage/postgres/location.ts';
import { MAX_WAITING, MAX_WAITING_BYTES } from '../../packages/trellis/src/storage/queue.ts';
import { DEFAULT_BODY_BYTES } from '../../packages/contract/src/rules/body-limit.ts';
import { ErrorNumber } from '../../packages/contract/src/refusal.ts';
import { MAX_JSON_DEPTH } from '../../packages/contract/src/message/json.ts';
import { page } from '../../packages/trellis/test/support/readme.ts';
import { ROOT, start } from '../../packages/trellis/test/support/service.ts';
import { ERROR_NUMBERS, YAML } from '../support.ts';
import { plants } from '../../src/index.ts';

const README = page('README');

describe('README', () => {
  test('names, in the figure of a create, only files that exist', () => {
    const [, way = ''] = /```text\nPOST \/notes(.*?)```/s.exec(page('trellis')) ?? [];
    const files = Array.from(way.matchAll(/[\w./-]+\.ts/g), ([file]) => file);
    expect(files.length).toBeGreaterThan(14);
    expect(files.filter((file) => !existsSync(join(ROOT, 'packages/trellis/src', file)))).toEqual([]);
  });

  test('names only folders that exist, and the README of trellis names each folder of its src/', () => {
    const foldersIn = (name: string) =>
      Array.from(page(name).matchAll(/^\| `([\w/]+\/)`/gm), ([, folder = '']) => folder);
    expect(foldersIn('README').filter((folder) => !existsSync(join(ROOT, folder)))).toEqual([]);
    const folders = readdirSync(join(ROOT, 'packages/trellis/src'), { withFileTypes: true }).filter((each) =>
      each.isDirectory(),
    );
    expect(foldersIn('README')).toContain('src/');
    expect(foldersIn('trellis').toSorted()).toEqual(folders.map(({ name }) => `${name}/`).toSorted());
  });

  test('names settings with the defaults that they have', () => {
    const rows = README.matchAll(/^\| (`[A-Z].+?) +\| (`.+?`)? +\|/gm);
    const told = Array.from(rows, ([, names = '', defaults = '']) =>
      [names, defaults].map((cell) => cell.match(/[^`, ]+/g)),
    );
    const settings = settingsOf(plants);
    expect(told.length).toBeGreaterThan(3);
    for (const [names, defaults] of told)
      expect(names?.flatMap((name) => settings[name]?.default ?? [])).toEqual(defaults ?? []);
  });

  test('names the folder whose tests `npm test` runs', async () => {
    const [, given = ''] = /`npm test -- (\S+)`/.exec(README) ?? [];
    const { ended, stdout } = start('npm', ['test', '--silent', '--', given, '--listTests'], {}, ROOT);
    await ended;
    const files = stdout().trim().split('\n');
    expect(files.length).toBeGreaterThan(10);
    expect(files.filter((file) => !file.startsWith(join(ROOT, 'test/')))).toEqual([]);
  });

  test('names only scripts that package.json has, as all pages do', () => {
    const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
    const pages = readdirSync(join(ROOT, 'docs')).map((file) => page(file.replace('.md', '')));
    const text = [README, page('CONTRIBUTING'), ...pages].join('\n');
    const names = Array.from(
      text.matchAll(/\bnpm (?:run (?:--silent |-s )?([\w:-]+)|(start|test)\b)/g),
      ([, script = '', short]) => short ?? script,
    );
    expect(names).toContain('generate');
    expect(Object.keys(scripts)).toEqual(expect.arrayContaining(names));
  });
});

/** The error numbers in a text that has their table. */
const errorRows = (text: string) =>
  Array.from(text.matchAll(/^ *\| (\d{5}) \| (.+?) +\|$/gm), ([, number, meaning]) => [number, meaning]);

test('openapi.yaml has the error numbers of the service and of createPlant in the table of the schema Error', () => {
  const rows = errorRows(YAML);
  expect(Object.entries(ERROR_NUMBERS)).toEqual(expect.arrayContaining(rows));
  const own = [...Object.values(ErrorNumber), 40011].map(String);
  expect(rows.map(([number]) => number)).toEqual(own.toSorted());
});

describe('docs/api.md', () => {
  const API = page('api');

  test('has the error numbers of the contract: run `npm run generate`', () => {
    expect(errorRows(API)).toEqual(Object.entries(ERROR_NUMBERS));
  });

  test('has the limits of the contract', () => {
    expect(API).toContain(`at most ${MAX_JSON_DEPTH} levels deep, and at most ${DEFAULT_BODY_BYTES / 1024} KiB`);
    expect(YAML).toContain(`at most ${DEFAULT_BODY_BYTES / 1024} KiB`);
    expect(YAML).toContain(`at most ${MAX_JSON_DEPTH} levels deep`);
    expect(YAML).toContain('minLength: 1\n      maxLength: 1000');
    expect(YAML).toContain('maxLength: 200');
    expect(API).toContain('`name` 1 to 1,000 characters, `tag` up to 200');
  });
});

test('docs/configuration.md has each setting, its default and its meaning', () => {
  const rows = page('configuration').matchAll(/^\| `([A-Z_]+)` +\| (?:`(\S+)`)? +\| (.+?) +\|$/gm);
  const settings = Object.entries(settingsOf(plants));
  const told = Array.from(rows, ([, ...cells]) => cells);
  expect(told).toEqual(settings.map(([name, setting]) => [name, setting.default, setting.meaning]));
});

test('docs/postgresql.md names each parameter that a URL may have', () => {
  const known = /the service knows (.*)$/;
  let names: string[] = [];
  try {
    readPostgresLocation('postgres://a@b/c?unknown=');
  } catch (error) {
    names = known.exec((error as Error).message)?.[1]?.split(', ') ?? [];
  }
  expect(names.length).toBeGreaterThan(5);
  const [, table = ''] = /^\| part +\| meaning +\|$(.*?)^$/ms.exec(page('postgresql')) ?? [];
  expect(names.filter((name) => !table.includes(`\`${name}\``))).toEqual([]);
});

test('docs/reliability.md has the bounds and the deadlines of the service', () => {
  const cells = Array.from(page('reliability').matchAll(/^\| ([^|]+?) +\| ([^|]+?) +\|/gm), ([, ...row]) => row);
  const told = (what: string) => cells.find(([first]) => first === what)?.[1] ?? '';
  const many = (count: number) => count.toLocaleString('en');
  const kib = (bytes: number) => `${bytes / 1024} KiB`;
  const mib = (bytes: number) => `${bytes / 1024 / 1024} MiB`;
  const s = (ms: number) => `${ms / 1000} s`;
  expect(told('connections')).toBe(many(MAX.connections));
  expect(told('target and header fields of a request')).toBe(`${kib(MAX.headBytes)}, ${MAX.fields} fields`);
  expect(told('a body, as sent and decompressed')).toBe(kib(MAX.bodyBytes));
  expect(told('framing of a body in chunks')).toContain(kib(MAX.framingBytes));
  expect(told('bodies that are arriving, as allocated')).toBe(mib(MAX.bodies));
  expect(told('requests under way')).toContain(many(MAX.underWay));
  expect(told('requests that do not wait for the answer')).toContain(many(MAX.pipelined));
  expect(told('writes that wait for the store')).toContain(`${many(MAX_WAITING)}, ${mib(MAX_WAITING_BYTES)}`);
  expect(told('a reply')).toBe(mib(MAX.reply));
  expect(told('replies that wait for the client')).toBe(mib(MAX.unsent));
  expect(told('the head of a request')).toContain(s(DEADLINE.head));
  expect(told('a request, head and body')).toContain(`${s(DEADLINE.request)}, and ${s(DEADLINE.progress)}`);
  expect(told('the next request')).toContain(s(DEADLINE.idle));
});

test('docs/clients.md has the statuses that Schemathesis accepts beside 2xx', () => {
  const settings = readFileSync(join(ROOT, 'schemathesis.toml'), 'utf8');
  const [, list = ''] = /^checks\.positive_data_acceptance\.expected-statuses = \[(.*)\]$/m.exec(settings) ?? [];
  const [, told = ''] = /and accept ([\d, and]+) as answers to a valid request/.exec(page('clients')) ?? [];
  expect(list).toMatch(/\d{3}/);
  expect(list.match(/\d{3}/g)).toEqual(told.match(/\d{3}/g));
});

test('docs/reliability.md has the sum of the items that outlived 1,000 kills on each engine', () => {
  const rows = readFileSync(join(ROOT, 'packages/trellis/lab/faults/RESULTS.md'), 'utf8').matchAll(
    /1,000 kills, .*?([\d,]+) acknowledged.* 0 lost/g,
  );
  const counts = Array.from(rows, ([, count = '']) => Number(count.replaceAll(',', '')));
  expect(counts).toHaveLength(2);
  const sum = counts.reduce((left, right) => left + right).toLocaleString('en');
  expect(page('reliability').replaceAll('\n', ' ')).toContain(
    `1,000 kills on each engine left all of ${sum} acknowledged items`,
  );
});

test.each(['faults', 'attacks'])('each row of what %s came to has its day and its commit', (name) => {
  const text = readFileSync(join(ROOT, `packages/trellis/lab/${name}/RESULTS.md`), 'utf8');
  const rows = text.split('\n').filter((line) => /^\| (?!what |---)/.test(line));
  expect(rows.length).toBeGreaterThan(20);
  expect(rows.filter((row) => !/ \| 20\d\d-\d\d-\d\d · [\da-f]{8}(?: and changes)? \|$/.test(row))).toEqual([]);
});

test.each(['performance', 'README', 'trellis'])('the page %s has only figures that the last bench recorded', (name) => {
  const measured = readFileSync(join(ROOT, 'packages/trellis/lab/bench/RESULTS.md'), 'utf8');
  const told = page(name).match(/\d+\.\d\d(?= ×)/g) ?? [];
  expect(told.length).toBeGreaterThan(1);
  expect(told.filter((figure) => !measured.includes(`${figure} ×`))).toEqual([]);
});

test.each(['README', 'trellis'])('%s gives ranges of speed that have what the last bench recorded', (name) => {
  const measured = readFileSync(join(ROOT, 'packages/trellis/lab/bench/RESULTS.md'), 'utf8');
  const tables = ['The limit', 'The service and its peers'].map((section) =>
    new RegExp(`^## ${section}$.*?^\\*\\*64 connections\\*\\*$(.*?)^\\*\\*`, 'ms').exec(measured),
  );
  const pinned = tables.map((table) => table?.[1] ?? '').join('');
  const multiples = new Map(
    Array.from(pinned.matchAll(/^\| (\S+) .*? ([\d.]+) × \|.*×.*×/gm), ([, peer, multiple]) => [
      peer,
      Number(multiple),
    ]),
  );
  const text = page(name).replaceAll(/\s+/g, ' ');
  const told = (pattern: RegExp) => (pattern.exec(text) ?? []).slice(1).map(Number);
  // A figure of one digit stands for what is rounded to it.
  const ranges = [
    ['fastify-commit', 0.5, ...told(/(\d) to (\d) ×/)],
    ['fastify', 0.1, ...told(/((1\.0)) × Fastify on the same store/)],
    ['limit', 0.05, ...told(/((0\.6)) × a bare server/)],
  ] as const;
  const wrong = ranges.filter(([peer, tolerance, low = NaN, high = NaN]) => {
    const multiple = multiples.get(peer) ?? NaN;
    return !(multiple >= low - tolerance && multiple <= high + tolerance);
  });
  expect(wrong).toEqual([]);
  expect(multiples.size).toBeGreaterThan(3);
});

test('docs/deployment.md has the speed that the bench recorded', () => {
  const results = readFileSync(join(ROOT, 'packages/trellis/lab/bench/RESULTS.md'), 'utf8');
  const [, bench = ''] = /^## The service and its peers$(.*?)^## /ms.exec(results) ?? [];
  const rows = Array.from(bench.matchAll(/^\| service .*/gm), ([row]) => row.split('|').map((cell) => cell.trim()));
  const [few = '', , many = ''] = rows.map(([, , creates = '']) =>
    (Math.round(Number(creates) / 100) * 100).toLocaleString('en'),
  );
  const text = page('deployment').replaceAll(/\s+/g, ' ');
  expect(text).toContain(`made ${few} to ${many} creates a second on it, with 8 to 256 connections`);
});

test.each(['reliability', 'CONTRIBUTING'])('%s says how long the faults take', (name) => {
  const rows = readFileSync(join(ROOT, 'packages/trellis/lab/faults/RESULTS.md'), 'utf8').matchAll(
    /^\| .*? \| (\w+) \| .* ([\d,]+) s \| /gm,
  );
  // Those of one engine run one after the other, beside those of the others.
  const lanes = Map.groupBy(rows, ([, engine]) => engine);
  const minutes = [...lanes.values()].map(
    (lane) => lane.reduce((sum, [, , seconds = '']) => sum + Number(seconds.replaceAll(',', '')), 0) / 60,
  );
  const [, told] = /for some (\d+) minutes/.exec(page(name).replaceAll('\n', ' ')) ?? [];
  expect(Math.abs(Math.max(...minutes) - Number(told))).toBeLessThan(10);
});
