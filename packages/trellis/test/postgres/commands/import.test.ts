import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from '@jest/globals';
import type { Reject } from '../../../src/files/rejects.ts';
import { readConfig } from '../../../src/config.ts';
import type { AnyService, Handler } from '../../../src/service.ts';
import { StoreUnavailable } from '../../../src/storage/store-errors.ts';
import { openStore } from '../../../src/storage/open.ts';
import { sharedPostgres } from '../../support/postgres.ts';
import { importStdin } from '../../support/item-store.ts';
import { blocks } from '../../support/readme.ts';
import { testWith } from '../../../../contract/test/support/skipping.ts';
import { noSmallDisk, UNSHARE } from '../../support/small-disk.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';
import { until } from '../../support/until.ts';
import { service as events } from '../../services/events/index.ts';
import { items, LAYOUT } from '../../services/items/index.ts';
import { ITEMS, runCommand, start } from '../../support/service.ts';

const server = await sharedPostgres();

const urls = {
  SQLite: () => Promise.resolve(`sqlite:${join(temporaryFolder(), 'items.db')}`),
  PostgreSQL: async () => server.url(await server.createDatabase()),
};

/** Makes a folder and a new store, and functions that run commands in the folder, on the store. */
async function place(engine: keyof typeof urls = 'SQLite') {
  const folder = temporaryFolder();
  const environment = { DATABASE_URL: await urls[engine]() };
  return {
    folder,
    environment,
    run: (...args: readonly string[]) => runCommand(args, environment, folder),
    runOf: (service: AnyService, ...args: readonly string[]) => runCommand(args, environment, folder, service),
    write: (name: string, text: string) => {
      writeFileSync(join(folder, name), text);
    },
    rejects: (name: string) =>
      readFileSync(join(folder, name), 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as Reject),
  };
}

const done = (name: string, counts: string) => ({
  code: 0,
  stdout: expect.stringMatching(new RegExp(`^${name}: \\d+ records in [\\d.]+ s: ${counts}\n$`)),
  stderr: '',
});

describe.each(['SQLite', 'PostgreSQL'] as const)('import into %s', (engine) => {
  test('stores the items of a file, and replays them when it runs again', async () => {
    const { run, write } = await place(engine);
    write('items.ndjson', '{"id":9007199254740993,"name":"x"}\n{"id":9007199254740992,"name":"y","tag":""}\n');
    const counts = ['2 created, 0 replayed', '0 created, 2 replayed'];
    for (const each of counts) {
      const result = await run('import', 'items.ndjson');
      expect(result).toEqual(done('items.ndjson', `${each}, 0 conflicting, 0 refused`));
    }
    expect((await run('export')).stdout).toBe(
      '{"id":9007199254740992,"name":"y","tag":""}\n{"id":9007199254740993,"name":"x"}\n',
    );
  });

  test('writes each record that it does not store to a file, with the reason and the text to mend', async () => {
    const { run, write, rejects, folder } = await place(engine);
    write('items.csv', 'name,id,tag\nx,1,\ny,1,\n,2,\nz,3,"a\nb"\nz,3,\n');
    const { code, stdout, stderr } = await run('import', 'items.csv');
    expect([code, stderr]).toEqual([
      1,
      'item-store: 3 records were not stored: see items.csv.rejects.ndjson for the reasons\n',
    ]);
    expect(stdout).toMatch(/^items.csv: 5 records in [\d.]+ s: 2 created, 0 replayed, 2 conflicting, 1 refused\n$/);
    const conflict = { error: 40011, message: 'a different item with this id exists' };
    expect(rejects('items.csv.rejects.ndjson')).toEqual([
      { line: 3, ...conflict, text: 'y,1,' },
      { line: 4, error: 40010, message: 'body.name is required', text: ',2,' },
      { line: 7, ...conflict, text: 'z,3,' },
    ]);
    expect((await run('export', '--format', 'csv')).stdout).toBe('id,name,tag\n1,x,\n3,z,"a\nb"\n');
    // The test corrects the texts of the rejects, as the documented commands do.
    const texts = rejects('items.csv.rejects.ndjson').map(({ text }) => text);
    write(
      'mended.csv',
      ['name,id,tag', ...texts].join('\n').replace('y,1', 'y,4').replace(',2', 'n,2').replace('z,3', 'z,5'),
    );
    expect(await run('import', 'mended.csv')).toEqual(
      done('mended.csv', '3 created, 0 replayed, 0 conflicting, 0 refused'),
    );
    expect(existsSync(join(folder, 'mended.csv.rejects.ndjson'))).toBe(false);
  });

  test('stores each item once when it is run again after kill -9', async () => {
    const { run, write, environment, folder } = await place(engine);
    const lines = Array.from({ length: 10_000 }, (_, id) => `{"id":${id},"name":"x"}\n`);
    write('items.ndjson', lines.join(''));
    await run('migrate');
    const store = await openStore(LAYOUT, readConfig(items, environment).DATABASE_URL, { create: false });
    // The input stays open, so that the import cannot end before the signal.
    const killed = importStdin({ folder, environment });
    await killed.write(lines.slice(0, 6_000).join(''));
    await until(() => store.count('items'));
    killed.child.kill('SIGKILL');
    await store.close();
    expect(await killed.ended).toBe('SIGKILL');
    const { stdout } = await run('import', 'items.ndjson');
    const [, created, replayed] = /(\d+) created, (\d+) replayed, 0 conflicting, 0 refused\n$/.exec(stdout) ?? [];
    expect(Number(created)).toBeGreaterThan(0);
    expect(Number(replayed)).toBeGreaterThan(0);
    expect((await run('export')).stdout).toBe(lines.join(''));
  });
});

describe('import', () => {
  test.each([
    [['items.txt', '--format', 'xml'], 'the format must be ndjson or csv, not xml'],
    [['nothing.csv'], /^nothing.csv cannot be read: ENOENT/],
    [['items.txt'], 'items.txt ends with neither .ndjson nor .csv: add --format ndjson or --format csv'],
    [['folder.csv'], 'folder.csv cannot be read: it is a folder'],
    [
      ['items.ndjson', '--rejects', 'items.csv'],
      'the file items.csv exists: move it away, or name another file with --rejects',
    ],
    [['items.ndjson', '--rejects', 'none/x'], /^the file of rejects none\/x cannot be written: ENOENT/],
    [
      ['items.csv'],
      'the header of items.csv does not name the columns of items: the column colour is not allowed; nothing was stored',
    ],
    [['empty.csv'], 'the header of empty.csv does not name the columns of items: it is missing; nothing was stored'],
  ])('fails with exit code 1 and one line for the arguments %j', async (args, message) => {
    const { run, write, folder } = await place();
    mkdirSync(join(folder, 'folder.csv'));
    write('items.csv', 'id,name,colour\n1,x,red\n');
    write('items.ndjson', 'bad\n');
    write('empty.csv', '');
    const { code, stdout, stderr } = await run('import', ...args);
    expect([code, stdout]).toEqual([1, args.includes('none/x') ? '' : stdout]);
    expect(stderr.replace('item-store: ', '').trim()).toMatch(
      typeof message === 'string' ? new RegExp(`^${RegExp.escape(message)}$`) : message,
    );
  });

  test('fails before it stores a record when the file of --rejects cannot be written, and leaves no empty file', async () => {
    const { run, write, folder } = await place();
    write('items.ndjson', '{"id":1,"name":"x"}\n');
    const failed = await run('import', 'items.ndjson', '--rejects', 'none/x');
    expect(failed).toMatchObject({ code: 1, stdout: '' });
    expect(failed.stderr).toMatch(/^item-store: the file of rejects none\/x cannot be written: ENOENT/);
    expect((await run('export')).stderr).toMatch(/the database .* does not exist/);
    const { stderr } = await run('import', 'items.ndjson', '--rejects', 'found');
    expect([stderr, existsSync(join(folder, 'found'))]).toEqual(['', false]);
  });

  test('writes a second file of rejects when it is run again, and keeps the first', async () => {
    const { run, write, rejects } = await place();
    write('items.ndjson', 'bad\n{"id":1,"name":"x"}\n');
    await run('import', 'items.ndjson');
    const again = await run('import', 'items.ndjson');
    expect(again.stdout).toContain('0 created, 1 replayed, 0 conflicting, 1 refused');
    expect(again.stderr).toContain('see items.ndjson.rejects.2.ndjson for the reasons');
    expect(rejects('items.ndjson.rejects.2.ndjson')).toEqual(rejects('items.ndjson.rejects.ndjson'));
  });

  test('writes the reason to the rejects when an operation refuses a record, for each shape of its error body', async () => {
    const { runOf, write, rejects } = await place();
    const problem = { type: 'about:blank', title: 'Conflict', status: 409, detail: 'the house is full', error: 40912 };
    const bodies: readonly unknown[] = [problem, { code: 40912n, title: 'the house is full' }, undefined];
    const createItem: Handler = ({ body }) =>
      Promise.resolve({ status: 409, body: bodies[Number((body as { readonly id: bigint }).id)] });
    write('items.ndjson', '{"id":0,"name":"x"}\n{"id":1,"name":"x"}\n{"id":2,"name":"x"}\n');
    expect((await runOf({ ...items, operations: { createItem } }, 'import', 'items.ndjson')).code).toBe(1);
    expect(rejects('items.ndjson.rejects.ndjson')).toMatchObject([
      { error: 40912, message: `the operation answers 409: ${JSON.stringify(problem)}` },
      { error: 50000, message: 'the operation answers 409: {"code":40912,"title":"the house is full"}' },
      { error: 50000, message: 'the operation answers 409' },
    ]);
  });

  test('writes an excerpt instead of the whole text of a record that it could not read', async () => {
    const { folder, run, rejects } = await place();
    const text = `id,name\n1,${'x'.repeat(400_000)}\n2,M\xfcll\n3,"x\n`;
    writeFileSync(join(folder, 'items.csv'), text, 'latin1');
    expect((await run('import', 'items.csv')).code).toBe(1);
    expect(rejects('items.csv.rejects.ndjson')).toEqual([
      { line: 2, error: 40005, message: expect.any(String), excerpt: `1,${'x'.repeat(198)}` },
      { line: 3, error: 40007, message: expect.any(String), excerpt: '2,M\ufffdll' },
      { line: 4, error: 40008, message: expect.any(String), text: '3,"x' },
    ]);
    // The documented command prints no line for a reject that has no `text`.
    const [jq = ''] = blocks('data', 'Rejects', 'console');
    renameSync(join(folder, 'items.csv.rejects.ndjson'), join(folder, 'items.ndjson.rejects.ndjson'));
    execFileSync('sh', ['-c', jq.replaceAll(/\w+(?=\.ndjson\.rejects)/g, 'items')], { cwd: folder });
    expect(readFileSync(join(folder, 'mended.ndjson'), 'utf8')).toBe('3,"x\n');
  });

  testWith(
    noSmallDisk,
    'reads stdin on a read-only file system, and fails only when it must write a reject there',
    async () => {
      const { folder, run, environment } = await place();
      const readOnly = temporaryFolder();
      const importing = async (text: string, ...args: readonly string[]) => {
        const mount = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" && cd "$1" && shift && exec "$@"';
        const command = [process.execPath, ITEMS.main, 'import', '-', ...args];
        const unshared = ['sh', '-c', mount, 'sh', readOnly, ...command];
        const started = start('unshare', [...(UNSHARE ?? []), ...unshared], environment, folder, {}, 'pipe');
        started.child.stdin?.end(text);
        return [await started.ended, started.stderr()];
      };
      expect(await importing('{"id":1,"name":"x"}\n')).toEqual([0, '']);
      expect(await importing('{"id":2,"name":"x"}\nbad\n')).toEqual([
        1,
        expect.stringMatching(
          /^item-store: the file of rejects stdin\.rejects\.ndjson cannot be written: EROFS.*; name another file with --rejects, such as \/dev\/stderr\n$/,
        ),
      ]);
      const [code, stderr] = await importing('{"id":3}\n{"id":4,"name":"x"}\n', '--rejects', '/dev/stderr');
      const [reject = '', sentence] = String(stderr).trim().split('\n');
      expect([code, JSON.parse(reject), sentence]).toEqual([
        1,
        { line: 1, error: 40010, message: 'body.name is required', text: '{"id":3}' },
        'item-store: 1 record was not stored: see /dev/stderr for the reasons',
      ]);
      expect((await run('export')).stdout).toContain('{"id":4,"name":"x"}\n');
    },
  );

  test('stores all items even if the reader of its stdout has closed the pipe', async () => {
    const { folder, environment, write, run } = await place();
    write('items.ndjson', '{"id":1,"name":"x"}\n');
    const command = `"${process.execPath}" "${ITEMS.main}" import items.ndjson | true`;
    const { ended, stderr } = start('bash', ['-o', 'pipefail', '-c', command], environment, folder);
    expect([await ended, stderr()]).toEqual([1, '']);
    expect((await run('export')).stdout).toBe('{"id":1,"name":"x"}\n');
  });

  test('accepts an empty file, and stores no item', async () => {
    const { run, write } = await place();
    write('items.ndjson', '');
    expect(await run('import', 'items.ndjson')).toEqual(
      done('items.ndjson', '0 created, 0 replayed, 0 conflicting, 0 refused'),
    );
  });

  test('leaves out what no schema of an open object names, and counts it by name', async () => {
    const { runOf, write } = await place();
    const others = Array.from({ length: 25 }, (_, index) => `"x${index}":1`).join();
    write('guests.ndjson', `{"name":"a","colour":1,"email":"b","toJSON":{}}\n{"name":"c","colour":2,${others}}\n`);
    const { stdout, stderr } = await runOf(events, 'import', 'guests.ndjson', '--table', 'guests');
    const names = [
      '"colour" 2',
      '"toJSON" 1',
      ...Array.from({ length: 18 }, (_, index) => `"x${index}" 1`),
      'others 7',
    ];
    expect([stdout.split('\n')[1], stderr]).toEqual([`left out, as no schema names them: ${names.join(', ')}`, '']);
    expect((await runOf(events, 'export', '--table', 'guests')).stdout.split('\n').sort()).toEqual([
      '',
      '{"name":"a","email":"b"}',
      '{"name":"c"}',
    ]);
  });

  test('refuses a header of CSV that names a column which no schema of an open object names', async () => {
    const { runOf, write } = await place();
    write('guests.csv', 'name,emial\na,b\n');
    const { code, stderr } = await runOf(events, 'import', 'guests.csv', '--table', 'guests');
    expect([code, stderr]).toEqual([
      1,
      'events: the header of guests.csv does not name the columns of guests: the body of addGuest does not declare the column "emial"; nothing was stored\n',
    ]);
  });

  test('makes no second row of a record whose key the service makes, if the store went away', async () => {
    const { runOf, write, rejects } = await place();
    const { addGuest } = events.operations as unknown as Record<'addGuest', Handler>;
    const lost: Handler = async (request, tools) => {
      await addGuest(request, tools);
      throw new StoreUnavailable('the store went away');
    };
    write('guests.ndjson', '{"name":"a"}\n');
    const service = { ...events, operations: { ...events.operations, addGuest: lost } } as AnyService;
    expect((await runOf(service, 'import', 'guests.ndjson', '--table', 'guests')).code).toBe(1);
    expect((await runOf(events, 'export', '--table', 'guests')).stdout).toBe('{"name":"a"}\n');
    expect(rejects('guests.ndjson.rejects.ndjson')).toMatchObject([
      {
        line: 1,
        message: expect.stringMatching(/^the store went away; the row may be stored, and the service makes its key/),
      },
    ]);
  });

  test('only validates with --dry-run: it makes no store, and finds no conflict', async () => {
    const { run, write, rejects } = await place();
    write('items.ndjson', '{"id":1,"name":"x"}\n{"id":1,"name":"y"}\n{"id":2}\n');
    const { code, stdout, stderr } = await run('import', 'items.ndjson', '--dry-run', '--rejects', 'found');
    expect([code, stderr]).toEqual([1, 'item-store: 1 record was refused: see found for the reasons\n']);
    expect(stdout).toMatch(
      /^items.ndjson: 3 records in [\d.]+ s: 2 valid, 1 refused; nothing was stored, conflicts and the rules of the operation were not checked\n$/,
    );
    expect(rejects('found')).toEqual([{ line: 3, error: 40010, message: 'body.name is required', text: '{"id":2}' }]);
    expect((await run('export')).stderr).toMatch(/the database .* does not exist/);
  });
});

test('export names the members of a body for which the table has no column', async () => {
  const { runOf, folder } = await place();
  const contract = join(folder, 'openapi.yaml');
  const id = '        id:\n          description: Any';
  const colour = '        colour: { type: string, maxLength: 9 }\n';
  const yaml = readFileSync(items.contract, 'utf8').replace(id, colour + colour.replace('colour', 'size') + id);
  writeFileSync(contract, yaml);
  const service = { ...items, contract: pathToFileURL(contract) } as AnyService;
  await runOf(items, 'migrate');
  expect(await runOf(service, 'export')).toMatchObject({
    code: 0,
    stderr: 'the export lacks colour, size: items has no such column\n',
  });
});
