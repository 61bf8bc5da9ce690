import type { ChildProcess } from 'node:child_process';
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import postgres from 'postgres';
import { binary } from './postgres-binaries.ts';
import { freePort } from './port.ts';

/** PostgreSQL refuses to run as root. */
const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** How long a server may take to start, to recover, or to be promoted, in milliseconds. */
const READY_MS = 60_000;

/** Settings of a server, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string | number>>;

/** A PostgreSQL server of its own, as a process on this machine; all may connect who know its port. */
export class PostgresServer {
  readonly folder: string;
  readonly port: number;
  private process: ChildProcess | undefined;

  private constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  /** Makes a new server, empty, and starts it. */
  static async create(settings: Settings = {}): Promise<PostgresServer> {
    const server = await PostgresServer.prepare();
    const options = '--username=postgres --encoding=UTF8 --locale=C --auth=trust --no-sync --no-instructions';
    execFileSync(binary('initdb'), ['--pgdata', server.data, ...options.split(' ')], { ...NOBODY, stdio: 'pipe' });
    server.set({ max_connections: 100, shared_buffers: '32MB', wal_level: 'replica', ...settings });
    await server.start();
    return server;
  }

  private static async prepare(): Promise<PostgresServer> {
    const folder = mkdtempSync(join(tmpdir(), 'plant-store-pg-'));
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    return new PostgresServer(folder, await freePort());
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** Its URL, of a database that exists or is made with `createDatabase`. */
  url(database = 'postgres', parameters = ''): string {
    return `postgres://postgres@127.0.0.1:${String(this.port)}/${database}${parameters}`;
  }

  /** What counts from the next start on, or the next `reload`. */
  set(settings: Settings): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${String(value)}'\n`);
    appendFileSync(join(this.data, 'postgresql.conf'), lines.join(''));
  }

  reload(): void {
    this.process?.kill('SIGHUP');
  }

  /** Starts it, and waits until it answers, which after a kill takes as long as its recovery. */
  async start(): Promise<void> {
    const args = ['-D', this.data, '-p', String(this.port), '-h', '127.0.0.1', '-k', this.folder];
    this.process = spawn(binary('postgres'), args, { ...NOBODY, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)));
    const deadline = performance.now() + READY_MS;
    while (!(await this.answers())) {
      if (this.process.exitCode !== null || performance.now() > deadline) throw new Error(`PostgreSQL: ${said}`);
      await sleep(20);
    }
  }

  private async answers(): Promise<boolean> {
    try {
      await this.query('select 1');
      return true;
    } catch {
      return false;
    }
  }

  /** Runs a statement on a connection of its own. */
  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    const client = postgres(this.url(database), { max: 1, onnotice: () => undefined, connect_timeout: 5 });
    try {
      return [...(await client.unsafe<Record<string, unknown>[]>(text))];
    } finally {
      await client.end({ timeout: 1 });
    }
  }

  /** Makes an empty database, and returns its URL. */
  async createDatabase(name = `test_${String(Math.random()).slice(2)}`): Promise<string> {
    await this.query(`create database ${name}`);
    return this.url(name);
  }

  /** As a power cut of the server's processes: no checkpoint, nothing flushed. */
  async kill(): Promise<void> {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    for (const pid of processesOf(this.process.pid ?? 0)) kill(pid);
    await exit;
  }

  async stop(signal: 'SIGINT' | 'SIGTERM' = 'SIGINT'): Promise<void> {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.kill(signal);
    await exit;
  }

  /**
   * Stops this server, copies it, and starts both: the copy follows. It is the only standby, by the name `standby`; with
   * `synchronous_standby_names` set, commits wait for it.
   */
  async createStandby(): Promise<PostgresServer> {
    await this.stop();
    const standby = await PostgresServer.prepare();
    execFileSync('cp', ['-a', this.data, standby.data]);
    writeFileSync(join(standby.data, 'standby.signal'), '');
    const own = `host=127.0.0.1 port=${String(this.port)} user=postgres application_name=standby`;
    appendFileSync(
      join(standby.data, 'postgresql.conf'),
      `primary_conninfo = '${own}'\nsynchronous_standby_names = ''\n`,
    );
    await this.start();
    await standby.start();
    return standby;
  }

  async promote(): Promise<void> {
    await this.query('select pg_promote(true)');
  }

  async remove(): Promise<void> {
    await this.kill();
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

/** A process and those that it started: the first one's end would make the others end in order. */
function processesOf(pid: number): number[] {
  const file = `/proc/${String(pid)}/task/${String(pid)}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}
