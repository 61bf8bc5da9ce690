import { spawnSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from './port.ts';
import { NOBODY, type Postgres } from './postgres.ts';
import { start } from './service.ts';
import { Session } from './session.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from './until.ts';

/** Debian's folder of daemons is on the PATH of root alone. */
const PROGRAM = ['pgbouncer', '/usr/sbin/pgbouncer'].find((each) => spawnSync(each, ['--version']).status === 0);

/** Why tests with PgBouncer cannot run here; undefined if they can. */
export const noPgBouncer =
  PROGRAM === undefined ? 'there is no PgBouncer: install the Debian package pgbouncer' : undefined;

/** A PgBouncer in front of a server, with these settings in its file. */
export class PgBouncer implements AsyncDisposable {
  private readonly port: number;
  private readonly process: ReturnType<typeof start>;

  private constructor(port: number, file: string, folder: string) {
    this.port = port;
    this.process = start(PROGRAM ?? '', [file], {}, folder, NOBODY);
  }

  static async start(server: Postgres, settings: readonly string[]): Promise<PgBouncer> {
    const folder = temporaryFolder();
    const port = await freePort();
    const users = join(folder, 'users.txt');
    const file = join(folder, 'pgbouncer.ini');
    writeFileSync(users, '"postgres" ""\n');
    const own = [`listen_addr = 127.0.0.1`, `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = trust'];
    const lines = [
      `* = host=127.0.0.1 port=${server.port}`,
      '[pgbouncer]',
      ...own,
      `auth_file = ${users}`,
      ...settings,
    ];
    writeFileSync(file, ['[databases]', ...lines, ''].join('\n'));
    // PgBouncer runs as another user, who must read these files.
    chmodSync(folder, 0o755);
    const pooler = new PgBouncer(port, file, folder);
    const answers = async () => {
      await using session = await Session.open(pooler.url('postgres'));
      return (await session.run('select 1')).length;
    };
    await until(() => answers().catch(() => 0));
    return pooler;
  }

  url(database: string): string {
    return `postgres://postgres@127.0.0.1:${this.port}/${database}`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.process.child.kill('SIGKILL');
    await this.process.ended;
  }
}
