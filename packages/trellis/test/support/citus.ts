import { execFile, execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Session } from './session.ts';
import { atEnd, temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from './until.ts';

const run = promisify(execFile);
/** `SCRIPT start FOLDER` starts a coordinator and two workers, and prints the URL of the coordinator. */
const SCRIPT = process.env['CITUS_CLUSTER'] ?? '';

/** Why tests on Citus cannot run here; undefined if they can. */
export const noCitus = existsSync(SCRIPT) ? undefined : 'CITUS_CLUSTER names no script that starts a cluster of Citus';

/** How long a server may take to start and to recover, in milliseconds. */
const READY_MS = 60_000;

export type Node = 'coordinator' | 'worker1' | 'worker2';

/** A cluster of its own, which ends with the tests of the file. */
export class Citus implements AsyncDisposable {
  readonly folder: string;
  private readonly coordinator: string;
  private readonly workers: readonly string[];

  private constructor(folder: string, coordinator: string, workers: readonly string[]) {
    this.folder = folder;
    this.coordinator = coordinator;
    this.workers = workers;
  }

  static async start(): Promise<Citus> {
    const folder = temporaryFolder();
    atEnd(() => void execFileSync(SCRIPT, ['stop', folder], { stdio: 'ignore' }));
    const { stdout } = await run(SCRIPT, ['start', folder]);
    const url = stdout.trim();
    await using session = await Session.open(url);
    const nodes = await session.run('select nodeport from pg_dist_node where groupid > 0 order by nodeid');
    const workers = nodes.map(({ nodeport }) => url.replace(/:\d+\//, `:${String(nodeport)}/`));
    return new Citus(folder, url, workers);
  }

  url(database: string, node: Node = 'coordinator'): string {
    const urls = { coordinator: this.coordinator, worker1: this.workers[0], worker2: this.workers[1] };
    return (urls[node] ?? '').replace(/postgres$/, database);
  }

  /** The address of a worker, as Citus names it. */
  addressOf(node: Node): string {
    return new URL(this.url('postgres', node)).host;
  }

  async query(text: string, database = 'postgres', node: Node = 'coordinator'): Promise<Record<string, unknown>[]> {
    await using session = await Session.open(this.url(database, node));
    return await session.run(text);
  }

  /** A new database, which the coordinator can spread over both workers. Returns its name. */
  async createDatabase(): Promise<string> {
    const name = `test_${randomBytes(8).toString('hex')}`;
    for (const node of ['coordinator', 'worker1', 'worker2'] as const) {
      await this.query(`create database ${name} encoding 'UTF8' template template0`, 'postgres', node);
      await this.query('create extension citus', name, node);
    }
    const [own, ...others] = (['coordinator', 'worker1', 'worker2'] as const).map((node) =>
      this.addressOf(node).split(':'),
    );
    await this.query(`select citus_set_coordinator_host('${own?.[0] ?? ''}', ${own?.[1] ?? ''})`, name);
    for (const [host = '', port = ''] of others) await this.query(`select citus_add_node('${host}', ${port})`, name);
    return name;
  }

  /** Kills all processes of a server at once, as a power cut would. */
  async kill(node: Node): Promise<void> {
    const [{ pid } = {}] = await this.query(
      `select split_part(pg_read_file('postmaster.pid'), e'\\n', 1) as pid`,
      'postgres',
      node,
    );
    await run('pkill', ['-KILL', '-P', String(pid)]).catch(() => undefined);
    process.kill(Number(pid), 'SIGKILL');
  }

  /** Starts a server that was killed, and waits until it answers. */
  async restart(node: Node): Promise<void> {
    const data = join(this.folder, node, 'data');
    const start = `/usr/lib/postgresql/15/bin/pg_ctl -D ${data} -l ${data}/../log start`;
    await until(async () => {
      await run('su', ['postgres', '-c', start]).catch(() => undefined);
      return await this.query('select 1', 'postgres', node).then(
        () => true,
        () => false,
      );
    }, READY_MS);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await run(SCRIPT, ['stop', this.folder]);
  }
}
