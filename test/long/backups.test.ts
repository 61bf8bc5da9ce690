import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { PostgresServer } from '../../packages/trellis/test/support/postgres.ts';
import { installedPostgres } from '../../packages/trellis/test/support/postgres-binaries.ts';
import { Project } from '../../packages/trellis/test/support/project.ts';
import { blocks, run } from '../../packages/trellis/test/support/readme.ts';
import { testWith } from '../../packages/contract/test/support/skipping.ts';
import { temporaryFolder } from '../../packages/contract/test/support/temporary.ts';
import { noteArguments } from './arguments.ts';
import { plantStore, runBackupLine } from '../support.ts';

const LAST = '{"id":9007199254740993,"name":"Ginkgo"}\n';

/** Runs three blocks of docs/data.md: the nightly backup (it also removes an old backup), the drill and the restore. */
async function follow(lines: readonly string[], environment: string, end: string): Promise<void> {
  const [nightly, drill, back] = lines;
  const project = new Project();
  const command = 'scripts/plant-store';
  const runBlock = async (text = 'exit 99') => {
    const { code, stdout, stderr } = await run(project, `set -e\n${environment}\n${text}`);
    expect({ text, code, stderr }).toMatchObject({ text, code: 0 });
    return stdout;
  };
  project.write('plants.ndjson', `{"id":1,"name":"Ficus"}\n${LAST}`);
  await runBlock(`${command} import plants.ndjson; mkdir backups; touch -d '31 days ago' backups/0.${end}`);
  await runBlock(nightly);
  expect(existsSync(join(project.folder, `backups/0.${end}`))).toBe(false);
  expect(await runBlock(drill)).toMatch(new RegExp(`${RegExp.escape(LAST)}$`));
  await runBlock(`${command} remove 1`);
  await runBlock(back);
  expect(await runBlock(`${command} export`)).toBe(project.read('plants.ndjson'));
}

test('the commands of docs/data.md back up and restore a store in SQLite', async () => {
  const lines = ['SQLite', 'A drill', 'Back to a backup'].flatMap((heading) => blocks('data', heading, 'sh'));
  // The PATH of cron jobs lacks npm.
  await follow(lines, 'export PATH=/usr/bin:/bin', 'db');
});

const POSTGRES = installedPostgres();
const none = POSTGRES === undefined ? "Debian's PostgreSQL is not installed" : undefined;
testWith(none, 'the commands of docs/data.md back up and restore a store in PostgreSQL', async () => {
  await using server = await PostgresServer.create({}, POSTGRES);
  const url = (await server.createRole('plants', 'secret', 'createdb'))(await server.createDatabase('owner plants'));
  const { path, noted } = noteArguments(join(POSTGRES ?? '', 'bin'));
  // The page names an example server, which this test replaces.
  const [first = '', ...lines] = blocks('data', 'PostgreSQL', 'sh');
  const here = first.replace(/DATABASE_URL=postgres:.*/, `DATABASE_URL='${url}' PATH='${path}'`);
  await follow(lines, here, 'dump');
  for (const program of ['pg_dump', 'pg_restore', 'createdb', 'dropdb']) expect(noted()).toContain(`${program} `);
  expect(noted()).not.toContain('secret');
});

testWith(none, 'the unit of backups dumps a store in PostgreSQL, and leaves no dump that is incomplete', async () => {
  await using server = await PostgresServer.create({}, POSTGRES);
  const url = await server.createRole('plants', 'secret');
  const database = await server.createDatabase('owner plants');
  const { path: PATH, noted } = noteArguments(join(POSTGRES ?? '', 'bin'));
  await plantStore(['migrate'], { DATABASE_URL: url(database) });
  const folder = temporaryFolder();
  const backUp = (DATABASE_URL: string) => {
    runBackupLine('ExecStart', folder, { PATH, DATABASE_URL, RUNTIME_DIRECTORY: temporaryFolder() });
  };
  expect(() => {
    backUp(url('none'));
  }).toThrow();
  const dumps = () => readdirSync(folder).filter((name) => name.endsWith('.dump'));
  expect(dumps()).toEqual([]);
  backUp(url(database));
  const [dump = ''] = dumps();
  expect(String(execFileSync('pg_restore', ['--list', join(folder, dump)], { env: { PATH } }))).toContain(
    'TABLE DATA public plants',
  );
  execFileSync('sha256sum', ['--check', '--status', `${dump}.sha256`], { cwd: folder });
  expect(noted()).toContain('pg_dump ');
  expect(noted()).not.toContain('secret');
});
