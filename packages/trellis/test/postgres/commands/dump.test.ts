import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { PostgresServer } from '../../support/postgres.ts';
import { installedPostgres } from '../../support/postgres-binaries.ts';
import { runCommand } from '../../support/service.ts';
import { describeWith } from '../../support/skipping.ts';
import { temporaryFolder } from '../../support/temporary.ts';

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
  },
);
