import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { INITDB, listening, NOBODY } from '../../testing/embedded-postgres.ts';
import { endWithFile } from './end-with-file.ts';
import { binary } from './postgres-binaries.ts';
import { freePort } from './port.ts';
import { Session } from './session.ts';
import { isInMemory } from './set-up.ts';
import { processesOf, send } from './signals.ts';
import { temporaryFolder, testFile } from '../../../contract/test/support/temporary.ts';
import { until } from './until.ts';

export { NOBODY };

/** The beginning of the names of the databases that tests make. */
const PREFIX = 'test_';

/** Copied files take half of the time that logged pages take, but each is flushed: slower on a disk. */
const STRATEGY = isInMemory() ? 'strategy = file_copy' : '';

const run = promisify(execFile);

async function initdb(data: string, installed?: string): Promise<void> {
  await run(binary('initdb', installed), ['--pgdata', data, ...INITDB], NOBODY);
}

/** The data of an empty server, for copies, which are faster than `initdb`. One of all Jest workers makes them. */
async function template(): Promise<string> {
  const folder = join(dirname(binary('initdb')), '../template');
  const [making, made] = [join(folder, 'making'), join(folder, 'data')];
  if (mkdirSync(folder, { recursive: true }) !== undefined) {
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    await initdb(making);
    renameSync(making, made);
  }
  await until(() => existsSync(made));
  return made;
}

/** Settings of a server, as in postgresql.conf. */
export type Settings = Readonly<Record<string, string | number>>;

/** Clients of a PostgreSQL server on this machine, which asks for no password. */
export class Postgres {
  readonly folder: string;
  readonly port: number;

  constructor(folder: string, port: number) {
    this.folder = folder;
    this.port = port;
  }

  get data(): string {
    return join(this.folder, 'data');
  }

  url(database = 'postgres', parameters = '', user = 'postgres'): string {
    return `postgres://${user}@127.0.0.1:${this.port}/${database}${parameters}`;
  }

  /** Runs a statement on a new connection. */
  async query(text: string, database = 'postgres'): Promise<Record<string, unknown>[]> {
    await using session = await Session.open(this.url(database));
    return await session.run(text);
  }

  /** Waits until a query returns a row. */
  async until(text: string, database = 'postgres'): Promise<void> {
    await using session = await Session.open(this.url(database));
    await until(async () => (await session.run(text)).length);
  }

  /** Returns the name of the new database. */
  async createDatabase(options = ''): Promise<string> {
    const name = `${PREFIX}${randomBytes(8).toString('hex')}`;
    await this.query(`create database ${name} ${STRATEGY} ${options}`);
    return name;
  }

  /** Removes the databases of `createDatabase`, and ends their connections. */
  async dropDatabases(): Promise<void> {
    await using session = await Session.open(this.url());
    const names = await session.run(`select datname from pg_database where starts_with(datname, '${PREFIX}')`);
    for (const { datname } of names) await session.run(`drop database ${String(datname)} with (force)`);
  }
}

let lasting: Promise<PostgresServer> | undefined;

/** The server of this instance of the module. */
export function lastingPostgres(): Promise<PostgresServer> {
  lasting ??= PostgresServer.createLasting();
  return lasting;
}

/**
 * The server of this Jest worker, or of this process outside of Jest, for tests that need no more than a database: they
 * leave its settings and its roles as they are. The databases are gone at the end of the test file.
 */
export async function sharedPostgres(): Promise<Postgres> {
  if (testFile === undefined) return await lastingPostgres();
  const { folder, port } = await testFile.postgres();
  return new Postgres(folder, port);
}

/** A PostgreSQL server as a process on this machine. */
export class PostgresServer extends Postgres implements AsyncDisposable {
  private process: ChildProcess | undefined;
  /** The folder of its programs; undefined if they are those of the npm package. */
  private readonly installed: string | undefined;
  /** The arguments of `unshare` with which the server starts, in mounts of its own. */
  private mounts: readonly string[] = [];
  private readonly isLasting: boolean;

  private constructor(folder: string, port: number, installed?: string, isLasting = false) {
    super(folder, port);
    this.installed = installed;
    this.isLasting = isLasting;
  }

  /** Makes and starts an empty server. */
  static async create(settings: Settings = {}, installed?: string): Promise<PostgresServer> {
    const server = await PostgresServer.prepare(undefined, installed);
    await server.initialise(settings);
    return server;
  }

  /** Makes and starts a server that ends with this process, which it does not keep running. */
  static async createLasting(): Promise<PostgresServer> {
    // Not one of the temporary folders, which are removed while the server still runs.
    const folder = mkdtempSync(join(tmpdir(), 'item-store-pg-'));
    const server = await PostgresServer.prepare(folder, undefined, true);
    await server.initialise();
    return server;
  }

  /** Makes a server that still needs `initialise`, in an empty folder. */
  static async prepare(folder = temporaryFolder(), installed?: string, isLasting?: boolean): Promise<PostgresServer> {
    if (NOBODY.uid !== undefined) chownSync(folder, NOBODY.uid, NOBODY.gid);
    return new PostgresServer(folder, await freePort(), installed, isLasting);
  }

  /** Makes the data of the server, and starts it. */
  async initialise(settings: Settings = {}): Promise<void> {
    if (this.installed === undefined) await run('cp', ['-R', await template(), this.data], NOBODY);
    else await initdb(this.data, this.installed);
    // Its log stays small, as it may be in memory.
    this.set({
      max_connections: 100,
      shared_buffers: '32MB',
      wal_level: 'replica',
      max_wal_size: '128MB',
      // In the folder of the data: a server that is killed would leave shared memory behind.
      dynamic_shared_memory_type: 'mmap',
      ...settings,
    });
    await this.start();
  }

  /**
   * Starts the server again, with a disk of 16 MB as a tmpfs that no other process sees, in the tablespace `small`. Only
   * root can do so. Returns the path of the disk for this process.
   */
  async addSmallDisk(): Promise<string> {
    const disk = join(this.folder, 'small');
    mkdirSync(disk);
    await this.stop();
    const [uid, gid] = [String(NOBODY.uid), String(NOBODY.gid)];
    const mount = `mount -t tmpfs -o size=16m,uid=${uid},gid=${gid},mode=700 tmpfs "$0" && exec "$@"`;
    const asNobody = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups'];
    this.mounts = ['unshare', '--mount', 'sh', '-c', mount, disk, ...asNobody];
    await this.start();
    await this.query(`create tablespace small location '${disk}'`);
    return join('/proc', String(this.process?.pid), 'root', disk);
  }

  /** Adds settings, which apply from the next start or `reload` on. */
  set(settings: Settings): void {
    const lines = Object.entries(settings).map(([name, value]) => `${name} = '${value}'\n`);
    appendFileSync(join(this.data, 'postgresql.conf'), lines.join(''));
  }

  /**
   * Makes a role that must give its password, unlike the others of the server. @param rights as `create role` takes them
   *
   * @returns its URL of a database
   */
  async createRole(name: string, password: string, rights = ''): Promise<(database: string) => string> {
    await this.query(`create role ${name} login password '${password.replaceAll("'", "''")}' ${rights}`);
    const file = join(this.data, 'pg_hba.conf');
    const line = (database: string) => `host ${database} ${name} all scram-sha-256\n`;
    writeFileSync(file, `${line('all')}${line('replication')}${readFileSync(file, 'utf8')}`);
    await this.query('select pg_reload_conf()');
    return (database) => this.url(database, '', `${name}:${encodeURIComponent(password)}`);
  }

  reload(): void {
    this.process?.kill('SIGHUP');
  }

  /** Starts the server, and waits until it answers: after a kill, until it has recovered. */
  async start(): Promise<void> {
    const command = [...this.mounts, binary('postgres', this.installed), ...listening(this.data, this.port)];
    const [program = '', ...rest] = command;
    const user = this.mounts.length > 0 ? {} : NOBODY;
    this.process = spawn(program, rest, { ...user, stdio: ['ignore', 'ignore', 'pipe'] });
    endWithFile(this.process, this.isLasting ? this.folder : undefined);
    if (this.isLasting) {
      this.process.unref();
      if (this.process.stderr instanceof Socket) this.process.stderr.unref();
    }
    let said = '';
    this.process.stderr?.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-10_000);
    });
    const { process } = this;
    const hasEnded = () => process.exitCode !== null || process.signalCode !== null;
    await until(async () => (await this.answers()) || hasEnded()).catch((error: unknown) => {
      throw new Error(`PostgreSQL: ${said}`, { cause: error });
    });
    if (hasEnded()) {
      // A child process that survived `kill` takes a moment to end, and uses the shared memory until then.
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

  /** Suspends all its processes: to clients this looks like a network that loses every packet. */
  freeze(): void {
    for (const pid of processesOf(this.process?.pid ?? 0)) send(pid, 'SIGSTOP');
  }

  thaw(): void {
    for (const pid of processesOf(this.process?.pid ?? 0)) send(pid, 'SIGCONT');
  }

  /** Kills all its processes at once, as a power cut would: without a checkpoint or a flush. */
  async kill(): Promise<void> {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    for (const pid of processesOf(this.process.pid ?? 0)) send(pid, 'SIGKILL');
    await exit;
  }

  /** Stops the server: by SIGINT after a checkpoint, by SIGQUIT at once. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGINT'): Promise<void> {
    if (this.process?.exitCode !== null || this.process.signalCode !== null) return;
    const exit = once(this.process, 'exit');
    this.process.kill(signal);
    await exit;
  }

  /** Stops the server at once, and synchronously: for a process that is about to exit. */
  stopNow(): void {
    // pg_ctl cannot stop a server that has just started. SIGKILL can, but leaves shared memory behind.
    spawnSync(binary('pg_ctl'), ['stop', '--mode=immediate', '--pgdata', this.data], NOBODY);
    this.process?.kill('SIGKILL');
  }

  /**
   * Stops this server, copies its data, and starts both, the copy as a standby with the name `standby`. Commits wait for
   * it if `synchronous_standby_names` is set.
   */
  async createStandby(): Promise<PostgresServer> {
    await this.stop();
    const standby = await PostgresServer.prepare(undefined, this.installed);
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
