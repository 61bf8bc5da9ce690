import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostgresServer } from '../../support/postgres.ts';
import { installedPostgres } from '../../support/postgres-binaries.ts';
import { runCommand } from '../../support/service.ts';
import { describeWith } from '../../../../contract/test/support/skipping.ts';
import { temporaryFolder } from '../../../../contract/test/support/temporary.ts';

const POSTGRES = installedPostgres();
/** The names of a database and a file, with characters that are special in URLs, shells and libpq. */
const DATABASE = `it's 50% "of" $HOME/a?b#c@d:e`;
const FILE = `it's "a" $HOME %20.dump`;

describeWith(
  POSTGRES === undefined ? 'there is no PostgreSQL of Debian' : undefined,
  'backup and restore, on PostgreSQL:',
  () => {
    let server: PostgresServer;
    beforeAll(async () => {
      server = await PostgresServer.create({}, POSTGRES);
    });
    afterAll(() => server.remove());

    test('the printed commands back up and restore a database with special characters in its name', async () => {
      const folder = temporaryFolder();
      await server.query(`create database "${DATABASE.replaceAll('"', '""')}"`);
      const parameters = '?sslmode=disable&application_name=a%20b&connect_timeout=9';
      const url = server.url(encodeURIComponent(DATABASE), parameters);
      // The first host refuses connections, the second is the server.
      const environment = { DATABASE_URL: url.replace('127.0.0.1', '127.0.0.1:1,127.0.0.1') };
      const run = (...args: readonly string[]) => runCommand(args, environment, folder);
      const printed = async (what: string) => {
        const { code, stderr } = await run(what, FILE);
        expect(code).toBe(1);
        const [, command = ''] = /^item-store: use the command of PostgreSQL: (.*)\n$/.exec(stderr) ?? [];
        execFileSync('sh', ['-c', command], {
          cwd: folder,
          env: { PATH: `${join(POSTGRES ?? '', 'bin')}:${process.env['PATH'] ?? ''}`, HOME: folder },
          stdio: 'pipe',
        });
        return command;
      };
      writeFileSync(
        join(folder, 'p.ndjson'),
        '{"id":-9223372036854775808,"name":"x"}\n{"id":9007199254740993,"name":"y"}\n',
      );
      expect((await run('import', 'p.ndjson')).code).toBe(0);
      expect(await printed('backup')).toContain(`${parameters}&target_session_attrs=read-write'`);
      await run('remove', '9007199254740993');
      await printed('restore');
      expect((await run('export')).stdout).toBe(readFileSync(join(folder, 'p.ndjson'), 'utf8'));
    });

    test('passfile writes a password with special characters for psql and the service, and prints a URL without it', async () => {
      const folder = temporaryFolder();
      const database = await server.createDatabase();
      const url = await server.createRole('keeper', String.raw`a:b\c@%/'? é#`);
      const DATABASE_URL = `${url(database)}?sslmode=disable&passfile=none`;
      for (const _ of [1, 2]) {
        const { code, stdout, stderr } = await runCommand(['passfile', 'my keys'], { DATABASE_URL }, folder);
        const path = `${folder}/my%20keys`;
        const told = `${server.url(database, '', 'keeper')}?sslmode=disable&passfile=${path}\n`;
        expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: told, stderr: '' });
        expect(statSync(join(folder, 'my keys')).mode & 0o777).toBe(0o600);
        const args = ['--no-password', '-Atc', 'select current_user', stdout.trim()];
        expect(String(execFileSync(join(POSTGRES ?? '', 'bin/psql'), args, { env: {} }))).toBe('keeper\n');
        await runCommand(['passfile', 'again'], { DATABASE_URL: stdout.trim() }, folder);
        expect(readFileSync(join(folder, 'again'))).toEqual(readFileSync(join(folder, 'my keys')));
      }
    });

    test('passfile writes no file if the store has no password', async () => {
      const folder = temporaryFolder();
      const DATABASE_URL = server.url('postgres', '?sslmode=disable');
      const told = { code: 0, stdout: `${DATABASE_URL}\n`, stderr: '' };
      expect(await runCommand(['passfile', 'x'], { DATABASE_URL }, folder)).toEqual(told);
      const stderr = 'item-store: a store in SQLite has no password: `backup` and `restore` need none\n';
      const refused = { code: 1, stdout: '', stderr };
      expect(await runCommand(['passfile', 'x'], { DATABASE_URL: 'sqlite:x.db' }, folder)).toEqual(refused);
      expect(readdirSync(folder)).toEqual([]);
    });
  },
);
