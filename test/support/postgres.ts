import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, chownSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { binary } from './postgres-binaries.ts';
import { freePort } from './port.ts';
import { Session } from './session.ts';
import { processesOf, send } from './signals.ts';
import { until } from './until.ts';

/** PostgreSQL refuses to run as root. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {};

/** How long a server may take to start, to recover, or to be promoted, in milliseconds. */
const READY_MS = 60_000;

/** Settings of a server, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string | number>>;

/** A PostgreSQL server of its own, as a process on this machine; all may connect who know its port. */
export class PostgresServer implements AsyncDisposable {
  readonly folder: string;
  readonly port: number;
  private process: ChildProcess | undefined;
  /** Where its programs are installed, unless they are those of the package. */
  private readonly installed: string | undefined;

  private constructor(folder: string, port: number, installed?: string) {
    this.folder = folder;
    this.port = port;
    this.installed = installed;
  }

  /** Makes a new server, empty, and starts it. */
  static async create(settings: Settings = {}, installed?: string): Promise<PostgresServer> {
    const server = await PostgresServer.prepare(undefined, installed);
    await server.initialise(settings);
    return server;
  }

  /** A server that is yet to be initialised; in a folder that is empty, or else in a temporary one. */
  static async prepare(
    folder = mkdtempSync(join(tmpdir(), 'plant-store-pg-')),
    installed?: string,
  ): Promise<PostgresServer> {
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    return new PostgresServer(folder, await freePort(), installed);
  }

  /** Makes its data, empty, and starts it. */
  async initialise(settings: Settings = {}): Promise<void> {
    const options = '--username=postgres --encoding=UTF8 --locale=C --auth=trust --no-sync --no-instructions';
    execFileSync(binary('initdb', this.installed), ['--pgdata', this.data, ...options.split(' ')], {
      ...NOBODY,
      stdio: 'pipe',
    });
    this.set({ max_connections: 100, shared_buffers: '32MB', wal_level: 'replica', ...settings });
    await this.start();
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  /** The URL of a database of it, on which nobody needs a password. */
  url(database = 'postgres', parameters = '', user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  /** What counts from the next start on, or the next `reload`. */
  set(settings: Settings): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.data, 'postgresql.conf'), lines.join(''));
  }

  reload(): void {
    this.process?.kill('SIGHUP');
  }

  /** Starts it, and waits until it answers, which after a kill takes as long as its recovery. */
  async start(): Promise<void> {
    // Its socket lies in its folder, seen from its data: the path of a socket may not be long.
    const args = ['-D', this.data, '-p', String(this.port), '-h', '127.0.0.1', '-k', '..'];
    this.process = spawn(binary('postgres', this.installed), args, { ...NOBODY, stdio: ['ignore', 'ignore', 'pipe'] });
    let said = '';
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => (said = (said + text).slice(-10_000)));
    const deadline = performance.now() + READY_MS;
    while (!(await this.answers())) {
      if (performance.now() > deadline) throw new Error(`PostgreSQL: ${said}`);
      await sleep(20);
      if (this.process.exitCode === null) continue;
      // A process that was started while its siblings were killed takes a moment to see that it is alone.
      if (!said.includes('is still in use')) throw new Error(`PostgreSQL: ${said}`);
      await this.start();
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
    await using session = await Session.open(this.url(database));
    return await session.run(text);
  }

  /** Waits until a query finds something. */
  async until(text: string, database = 'postgres'): Promise<void> {
    await until(async () => (await this.query(text, database)).length, READY_MS);
  }

  /** Makes an empty database, and returns its name. */
  async createDatabase(options = ''): Promise<string> {
    const name = `test_${randomBytes(8).toString('hex')}`;
    await this.query(`create database ${name} ${options}`);
    return name;
  }

  /** Stops all its processes in the middle of whatever they do, as a network that loses everything would seem to. */
  freeze(): void {
    for (const pid of processesOf(this.process?.pid ?? 0)) send(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of processesOf(this.process?.pid ?? 0)) send(pid, 'SIGCONT');
  }

  /** As a power cut of the server's processes: no checkpoint, nothing flushed. */
  async kill(): Promise<void> {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    for (const pid of processesOf(this.process.pid ?? 0)) send(pid, 'SIGKILL');
    await exit;
  }

  /** Ends connections, and itself in order; by SIGQUIT at once. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.kill(signal);
    await exit;
  }

  /** Stops it at once, and waits for nothing else: for a process that is about to end itself. */
  stopNow(): void {
    // Killed, it would leave shared memory behind; but what has only just been started cannot be told to stop yet.
    spawnSync(binary('pg_ctl'), ['stop', '--mode=immediate', '--pgdata', this.data], NOBODY);
    this.process?.kill('SIGKILL');
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
    const own = `host=127.0.0.1 port=${this.port} user=postgres application_name=standby`;
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
    await this.stop('SIGQUIT');
    rmSync(this.folder, { recursive: true, force: true });
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.remove();
  }
}
