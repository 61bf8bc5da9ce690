import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PostgresServer } from '../packages/trellis/test/support/postgres.ts';
import { page } from '../packages/trellis/test/support/readme.ts';
import { ROOT } from '../packages/trellis/test/support/service.ts';
import { temporaryFolder } from '../packages/contract/test/support/temporary.ts';
import { fill, look } from '../packages/trellis/test/support/item-store.ts';
import { LAYOUT, plantStore, startPlantInstance } from './support.ts';

type Line = Record<string, unknown>;

/** Makes a folder with two files of plants, and a new store. */
async function place(engine: 'SQLite' | 'PostgreSQL') {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'plants.ndjson'), '{"id":1,"name":"x"}\n{"id":2,"name":"y"}\n{"id":1,"name":"z"}\n');
  const database = join(folder, 'plants.db');
  const server =
    engine === 'PostgreSQL' ? await PostgresServer.create({ logging_collector: 'on', log_filename: 'log' }) : undefined;
  const file = server === undefined ? `${database}.acts.ndjson` : join(server.data, 'log/log');
  const environment = { DATABASE_URL: server?.url() ?? `sqlite:${database}`, SUDO_USER: 'alice' };
  return {
    folder,
    database,
    file,
    environment,
    run: (...args: readonly string[]) => plantStore(args, environment, folder),
    text: () => readFileSync(file, 'utf8'),
    lines: (): Line[] => {
      const lines = readFileSync(file, 'utf8').split('\n').slice(0, -1);
      const own = server === undefined ? lines : lines.flatMap((each) => each.split(' LOG:  plant-store: ')[1] ?? []);
      return own.map((line) => JSON.parse(line) as Line);
    },
  };
}

const NAMES = /^\| `([a-z ]+)` +\| (`.*?) +\|$/gm;
const [, section = ''] = /^## Acts of administration\n(.*?)^## /ms.exec(page('commands')) ?? [];
const DOCUMENTED = new Map(
  Array.from(section.matchAll(NAMES), ([, act = '', members = '']) => [
    act,
    Array.from(members.matchAll(/`(\w+)`/g), ([, member]) => member),
  ]),
);

test.each(['SQLite', 'PostgreSQL'] as const)(
  'each act of administration on %s leaves a line with its time, its user and its objects, and no token',
  async (engine) => {
    const { run, lines, text, folder } = await place(engine);
    await run('migrate');
    await run('migrate');
    const created = await run('token', 'create', 'app', '--expires', '90d', '--scope', 'plants:write');
    await run('token', 'revoke', 'app');
    await run('token', 'revoke', 'nothing');
    const quoted = 'it\'s $1 \\ "x".ndjson';
    writeFileSync(join(folder, quoted), readFileSync(join(folder, 'plants.ndjson')));
    await run('import', quoted);
    await run('import', 'plants.ndjson', '--dry-run');
    await run('remove', '1');
    if (engine === 'SQLite') {
      await run('backup', 'copy');
      await run('restore', 'copy');
      await run('restore', 'copy', '--force');
    }
    await run('export');
    const file = join(folder, quoted);
    expect(created.code).toBe(0);
    expect(lines()).toEqual(
      [
        { act: 'migrated', from: 0, to: expect.any(Number), steps: LAYOUT.steps.sqlite.map(({ name }) => name) },
        { act: 'token created', token: 'app', expires: '90d', scopes: ['plants:write'] },
        { act: 'token revoked', token: 'app' },
        { act: 'import begun', file, table: 'plants' },
        { act: 'import ended', file, table: 'plants', created: 2, replayed: 0, conflict: 1, refused: 0 },
        { act: 'removed', table: 'plants', key: '1' },
        ...(engine === 'SQLite' ? [{ act: 'restored', file: join(folder, 'copy'), rows: { plants: 1 } }] : []),
      ].map((each) => ({ time: expect.any(String), by: userInfo().username, sudo: 'alice', ...each })),
    );
    expect(text()).not.toContain(created.stdout.trim());
    const members = new Map(lines().map(({ time: _, by: _by, sudo: _sudo, act, ...more }) => [act, Object.keys(more)]));
    for (const [act, names] of members) expect([act, DOCUMENTED.get(String(act))]).toEqual([act, names]);
    if (engine === 'SQLite') expect(members.size).toBe(DOCUMENTED.size);
  },
);

test('the file of acts on SQLite has the permissions of the store, and a command writes to no link or pipe in its place', async () => {
  const { run, file, folder, database } = await place('SQLite');
  await run('migrate');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  const other = join(folder, 'other');
  writeFileSync(other, '');
  for (const [code, make] of [
    ['ELOOP', symlinkSync.bind(undefined, other, file)],
    ['ENXIO', execFileSync.bind(undefined, 'mkfifo', [file])],
  ] as const) {
    rmSync(file);
    make();
    for (const [command, done, act] of [
      ['token create app', 'no token was created, because', 'token created'],
      ['import plants.ndjson', 'nothing was imported, because', 'import begun'],
      ['remove 1', 'the command has done its work, but', 'removed'],
    ] as const) {
      if (act === 'removed') fill(database, 1, 1, 'plants');
      const { stdout, stderr, ...ended } = await run(...command.split(' '));
      expect([ended.code, stdout, readFileSync(other, 'utf8')]).toEqual([1, '', '']);
      const way = act === 'removed' ? 'mend that before the next act' : 'mend that, then run the command again';
      const line = `${done} the line "${act}" cannot be written to ${file}: ${code}`;
      expect(stderr).toMatch(new RegExp(`^plant-store: ${RegExp.escape(line)}.*; ${way}\n$`));
      // The command removes a token whose line it cannot write: no client knows the token yet.
      expect([(await run('token', 'list', '--json')).stdout, look(database, 'plants')]).toEqual(['', 0]);
    }
  }
});

test('a command that migrates an older store writes a line about the migration too, and does no more if it cannot', async () => {
  const { run, database, file, lines } = await place('SQLite');
  const older = join(ROOT, 'released/stores/692d905/plants.db');
  copyFileSync(older, database);
  await run('token', 'create', 'app');
  expect(lines().map(({ act, from }) => [act, from])).toEqual([
    ['migrated', 1],
    ['token created', undefined],
  ]);
  copyFileSync(older, database);
  rmSync(file);
  symlinkSync('nothing', file);
  const { code, stdout, stderr } = await run('token', 'create', 'more');
  expect([code, stdout]).toEqual([1, '']);
  expect(stderr).toContain(
    `plant-store: only the schema was migrated, because the line "migrated" cannot be written to`,
  );
});

test('a start that migrates the store and makes the first token logs both', async () => {
  const service = await startPlantInstance();
  await service.stop();
  const acts = service.log().filter(({ from, token }) => from === 0 || token === 'first');
  expect(acts.map(({ msg }) => msg)).toEqual([
    'migrated the schema of the store',
    'created the first token of the store',
  ]);
});
