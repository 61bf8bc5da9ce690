import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, test } from '@jest/globals';
import type { Reject } from '../../../src/files/rejects.ts';
import { scrape, samples, untilSample } from '../../support/metrics.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { runCommand, startInstance } from '../../support/service.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { library } from '../../services/library/index.ts';

const server = await sharedPostgres();

type Line = Readonly<Record<string, unknown>>;
const lineOf = (record: Line) =>
  `${JSON.stringify(record, (_name, value: unknown) => (typeof value === 'bigint' ? JSON.rawJSON(String(value)) : value))}\n`;

/** Makes a folder and a new store of the library, and a function that runs commands on it. */
async function place(engine: 'SQLite' | 'PostgreSQL' = 'SQLite') {
  const folder = temporaryFolder();
  const database = join(folder, 'library.db');
  const url = engine === 'SQLite' ? `sqlite:${database}` : server.url(await server.createDatabase());
  const run = (...args: readonly string[]) => runCommand(args, { DATABASE_URL: url }, folder, library);
  const write = (name: string, lines: readonly Line[]) => {
    writeFileSync(join(folder, name), lines.map(lineOf).join(''));
  };
  const read = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { folder, database, url, run, write, read };
}

const failed = (message: string) => ({ code: 1, stdout: '', stderr: `library: ${message}\n` });

const THING = {
  id: '1',
  text: '123',
  exact: 9007199254740993n,
  small: -1,
  number: 1.5,
  flag: true,
  at: '2026-01-02T03:04:05.678Z',
  list: ['1', 'true', '[', ''],
  any: 1,
  maybe: null,
};
const ANY = [
  '1',
  'true',
  '"',
  '[1]',
  '{"a":1}',
  '[',
  '',
  'null',
  1,
  1.5,
  1e300,
  true,
  false,
  [],
  [1, null],
  {},
  { a: 'b' },
];
/** Of the members after "maybe", `note` may be missing; `shelf` may be null, and has a default. */
const THINGS: readonly Line[] = [
  { ...THING, shelf: null },
  {
    ...THING,
    id: 'true',
    text: 'false',
    exact: -(2n ** 63n),
    number: 1e-7,
    flag: false,
    maybe: '',
    note: '',
    shelf: 'cellar',
  },
  { ...THING, id: '"', text: '[1]', exact: 0n, number: 0, list: [], maybe: 'null', note: '{"a":1}', shelf: null },
  { ...THING, id: ' 1,\n"', text: '"quoted"', exact: 2n ** 63n - 1n, maybe: ' ', note: '1e5', shelf: '' },
  ...ANY.map((any, index) => ({ ...THING, id: `any ${index}`, any, shelf: null })),
];

describe.each(['SQLite', 'PostgreSQL'] as const)('on %s', (engine) => {
  test('export, import into an empty store and export again yield the same file, for members of every type', async () => {
    const [given, first, second] = [await place(engine), await place(engine), await place(engine)];
    given.write('things.ndjson', THINGS);
    const done = { code: 0, stderr: '' };
    expect(await given.run('import', 'things.ndjson', '--table', 'things')).toMatchObject(done);
    for (const format of ['ndjson', 'csv']) {
      const name = `${format}.${format}`;
      expect(await given.run('export', name, '--table', 'things')).toMatchObject(done);
      const { run, folder, read } = format === 'csv' ? second : first;
      writeFileSync(join(folder, name), given.read(name));
      expect(await run('import', name, '--table', 'things')).toMatchObject(done);
      for (const each of ['ndjson', 'csv']) {
        expect(await run('export', `again.${each}`, '--table', 'things')).toMatchObject(done);
        expect(await given.run('export', `${format}-${each}.${each}`, '--table', 'things')).toMatchObject(done);
        expect(read(`again.${each}`)).toBe(given.read(`${format}-${each}.${each}`));
      }
    }
    const sorted = (text: string) => text.split('\n').toSorted();
    expect(sorted(given.read('ndjson.ndjson'))).toEqual(sorted(THINGS.map(lineOf).join('')));
    expect(given.read('csv.csv')).toMatch(/^id,text,exact,small,number,flag,at,list,any,maybe,note,shelf\n/);
  });

  test('an export names the row with a number that no double holds, and writes the others', async () => {
    const { run, read, write, database, url } = await place(engine);
    write('things.ndjson', THINGS);
    expect(await run('import', 'things.ndjson', '--table', 'things')).toMatchObject({ code: 0 });
    const change = `update things set "any" = '{"a":[1e400]}' where id = '"'`;
    if (engine === 'SQLite') {
      using store = new DatabaseSync(database);
      store.exec(change);
    } else await server.query(change, new URL(url).pathname.slice(1));
    const message =
      'the export has all rows of things but 1: id "\\"": JSON has no Infinity: change their values in the store, or bring them back from a backup';
    for (const name of ['things.ndjson', 'things.csv']) {
      expect(await run('export', `all-${name}`, '--table', 'things')).toEqual(failed(message));
      expect(read(`all-${name}`)).toMatch(/any 13[^]*any 14/);
    }
  });

  test('an import accepts the export of the largest bodies, although they are longer in the file', async () => {
    const list = (item: string) =>
      `[${Array<string>(Math.floor(65_000 / (item.length + 1)))
        .fill(item)
        .join()}]`;
    const given = await place(engine);
    const bodies = ['"a"', '1e20'].map((item) => lineOf({ ...THING, id: item, any: '@' }).replace('"@"', list(item)));
    writeFileSync(join(given.folder, 'things.ndjson'), bodies.join(''));
    const done = { code: 0, stderr: '' };
    expect(await given.run('import', 'things.ndjson', '--table', 'things')).toMatchObject(done);
    for (const name of ['all.ndjson', 'all.csv']) {
      expect(await given.run('export', name, '--table', 'things')).toMatchObject(done);
      expect(given.read(name).length).toBeGreaterThan(bodies.join('').length * 1.2);
      const other = await place(engine);
      writeFileSync(join(other.folder, name), given.read(name));
      expect(await other.run('import', name, '--table', 'things')).toMatchObject(done);
    }
  });

  test('import rejects a record that the operation refuses, and gives its answer as the reason', async () => {
    const { run, write, read } = await place(engine);
    write('readers.ndjson', [
      { email: 'a', card: 1 },
      { email: 'nobody', card: 2 },
      { email: 'a', card: 3 },
      { email: 'broken', card: 4 },
      { email: 'a', card: 1, since: 'today' },
      { email: 'b', card: 5, password: 'secret' },
      { email: 'c', card: 5 },
      { email: 'busy', card: 6 },
    ]);
    const { code, stdout, stderr } = await run('import', 'readers.ndjson', '--table', 'readers');
    expect([code, stdout]).toEqual([1, expect.stringContaining('3 created, 1 replayed, 1 conflicting, 3 refused')]);
    expect(stderr).toMatch(/"stack":"Error: the handler is broken\\n.*createReader/);
    const rejects = read('readers.ndjson.rejects.ndjson').trim().split('\n');
    expect(rejects.map((line) => JSON.parse(line) as Reject)).toEqual([
      { line: 2, error: 40012, message: 'a reader must not be called nobody', text: '{"email":"nobody","card":2}' },
      { line: 3, error: 40011, message: 'a different row with this key exists', text: '{"email":"a","card":3}' },
      {
        line: 4,
        error: 50000,
        message: 'the operation failed: the handler is broken',
        text: '{"email":"broken","card":4}',
      },
      {
        line: 7,
        error: 50000,
        message: expect.stringMatching(/^the store rejects the record: .*unique/i) as unknown,
        text: '{"email":"c","card":5}',
      },
    ]);
    // A password is no column, so an export leaves it out.
    expect((await run('export', '--table', 'readers')).stdout).toBe(
      '{"email":"a","card":1,"since":"today"}\n{"email":"b","card":5,"since":"today"}\n' +
        '{"email":"busy","card":6,"since":"today"}\n',
    );
  });

  test('remove deletes the row with a key of text, and no other', async () => {
    const { run, write } = await place(engine);
    write('readers.ndjson', [
      { email: "it's", card: 1 },
      { email: '1', card: 2 },
    ]);
    await run('import', 'readers.ndjson', '--table', 'readers');
    expect(await run('remove', "it's", '--table', 'readers')).toMatchObject({
      code: 0,
      stdout: "removed the row it's of readers\n",
    });
    expect(await run('remove', "it's", '--table', 'readers')).toEqual(failed("the store has no row it's of readers"));
    expect((await run('export', '--table', 'readers')).stdout).toBe('{"email":"1","card":2,"since":"today"}\n');
  });
});

test('an import sets the columns that the service fills itself, and replays a row that differs in these alone', async () => {
  const { run, write, read, database } = await place();
  write('things.ndjson', [THING]);
  await run('import', 'things.ndjson', '--table', 'things');
  using store = new DatabaseSync(database);
  store.exec(`update things set version = 7, made = 'by hand'`);
  await run('export', 'out.ndjson', '--table', 'things');
  expect(read('out.ndjson')).toBe(lineOf({ ...THING, shelf: 'cellar' }));
  await run('remove', '1', '--table', 'things');
  await run('import', 'out.ndjson', '--table', 'things');
  expect(store.prepare('select version, made from things').all()).toMatchObject([{ version: 1, made: null }]);
  store.exec('update things set version = 7');
  write('again.ndjson', [THING, { ...THING, text: 'another' }]);
  expect((await run('import', 'again.ndjson', '--table', 'things')).stdout).toContain('1 replayed, 1 conflicting');
});

test.each([
  [['import', 'x.ndjson'], 'name the table with --table: readers, things or loans'],
  [['export', '--table', 'tokens'], 'name the table with --table: readers, things or loans, not tokens'],
  [
    ['import', 'x.ndjson', '--table', 'loans'],
    'rows of loans cannot come from a file: lend requires the parameter thing',
  ],
  [['remove', 'x'], 'name the table with --table: readers, things or loans'],
  [
    ['remove', 'x', '--table', 'loans'],
    'remove cannot name a row of loans: its key is not one column of text or integers',
  ],
])('the command %j is refused at once, with the way out', async (args, message) => {
  const { run, write } = await place();
  write('x.ndjson', []);
  expect(await run(...args)).toEqual(failed(message));
});

test('backup and restore tell the number of rows of each table', async () => {
  const { run, write } = await place();
  write('readers.ndjson', [
    { email: 'a', card: 1 },
    { email: 'b', card: 2 },
  ]);
  await run('import', 'readers.ndjson', '--table', 'readers');
  const rows = '2 rows of readers, 0 rows of things and 0 rows of loans';
  expect((await run('backup', 'copy')).stdout).toBe(`backed up ${rows} to copy, and checked the copy\n`);
  expect((await run('restore', 'copy')).stderr).toContain(`the store has ${rows}, which the restore would delete`);
  expect((await run('restore', 'copy', '--force')).stdout).toBe(`restored ${rows} from copy, and checked the store\n`);
});

test('the first start prints an example of the contract, quoted for a shell, and the metrics count each table', async () => {
  const { folder, url } = await place();
  const service = await startInstance({ DATABASE_URL: url, ADMIN_PORT: '0' }, library, folder);
  const body = String.raw`-d '{"email":"it'\''s@x.example","card":9007199254740993}'`;
  expect(service.stderr()).toMatch(/\nRegister a reader:\n\n {2}curl /);
  expect(service.stderr()).toContain(body);
  await untilSample(service, 'library_readers', 0);
  const text = await scrape(service);
  for (const table of ['readers', 'things', 'loans']) {
    expect(samples(text, `library_${table}`)).toEqual({ '': 0 });
    expect(samples(text, 'library_creations_total')).toMatchObject({ [`${table} created`]: 0 });
  }
  await service.stop();
});

test('an import of an operation with a transaction stores thousands of records, and no record waits too long', async () => {
  const { run, write, database } = await place();
  const count = 5000;
  write(
    'things.ndjson',
    Array.from({ length: count }, (_, index) => ({ ...THING, id: String(index) })),
  );
  const { code, stdout, stderr } = await run('import', 'things.ndjson', '--table', 'things');
  expect([code, stdout]).toEqual([0, expect.stringContaining(`${count} created, 0 replayed`)]);
  expect(stderr).not.toContain('unavailable');
  using store = new DatabaseSync(database);
  expect(store.prepare('select count(*) as count from things').get()).toEqual({ count });
});

test('the metrics count creations within transactions', async () => {
  const { folder, url } = await place();
  const service = await startInstance({ DATABASE_URL: url, ADMIN_PORT: '0' }, library, folder);
  const send = (thing: Line) =>
    fetch(`${service.url}/things`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json' },
      body: lineOf(thing),
    });
  for (const thing of [THING, THING, { ...THING, text: 'another' }]) await send(thing);
  expect(samples(await scrape(service), 'library_creations_total')).toMatchObject({
    'things created': 1,
    'things replayed': 1,
    'things conflict': 1,
  });
  await service.stop();
});
