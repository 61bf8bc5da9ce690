import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tmpdir } from 'node:os';
import { type Environment, ITEMS, listening, type Program, ROOT, start, type Started } from './service.ts';
import { temporaryFolder } from '../../../contract/test/support/temporary.ts';

/** The size of the disk: more than the items of a long run take, with their WAL. */
const SIZE = '96m';

/** The flags by which unshare gives a process its own mounts: as root, otherwise in a user namespace. */
export const UNSHARE = [['--mount'], ['--user', '--map-root-user', '--mount']].find(
  (flags) => spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0,
);

/** Why tests with a small disk cannot run here; undefined if they can. */
export const noSmallDisk =
  UNSHARE === undefined
    ? 'unshare cannot mount a file system here: it takes Linux, and root or user namespaces'
    : undefined;

/** Fills a disk, except for `room` bytes. @param folder a folder of that disk */
export function fillDisk(folder: string, room: number): void {
  const { bavail, bsize } = statfsSync(folder);
  try {
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(Math.max(0, bavail * bsize - room)));
  } catch (error) {
    // Another process wrote at the same time, so the disk is full already.
    if (!(Error.isError(error) && 'code' in error && error.code === 'ENOSPC')) throw error;
  }
}

export function makeRoom(folder: string): void {
  rmSync(join(folder, 'ballast'));
}

/** A service whose store is on a tmpfs that no other process sees, and that ends with the service. */
export class SmallDisk {
  readonly service: Started;
  private readonly folder: string;
  private readonly database: string;
  private readonly settings: Environment;
  private readonly main: string;

  /** @param database the SQLite file, which is copied to the tmpfs */
  constructor(database: string, program: Program = ITEMS) {
    this.folder = temporaryFolder();
    this.database = basename(database);
    const mount = 'mount -t tmpfs -o size="$1" tmpfs "$2" && cp "$3" "$2" && shift 3 && exec "$@"';
    const inner = ['sh', '-c', mount, 'sh', SIZE, this.folder, database];
    const serve = [process.execPath, program.main, 'serve'];
    this.main = program.main;
    this.settings = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: `sqlite:${join(this.folder, this.database)}` };
    this.service = start('unshare', [...(UNSHARE ?? []), ...inner, ...serve], this.settings, ROOT);
  }

  /** Runs a command beside the service: SQLite would follow the link that `path` goes through. */
  async run(...args: readonly string[]): Promise<{ code: unknown; stdout: string; stderr: string }> {
    const user = UNSHARE?.includes('--user') === true ? ['--user', '--preserve-credentials'] : [];
    const beside = ['--target', String(this.service.child.pid), '--mount', ...user, process.execPath, this.main];
    const { ended, stdout, stderr } = start('nsenter', [...beside, ...args], this.settings, ROOT);
    return { code: await ended, stdout: stdout(), stderr: stderr() };
  }

  /** Waits until the service is ready, and returns its URL and that of its admin listener. */
  async listening(): Promise<{ url: string; admin: string }> {
    const url = await listening(this.service);
    const line = this.service.log().find(({ msg }) => msg === 'admin listening');
    return { url, admin: String(line?.['url']) };
  }

  fill(room: number): void {
    fillDisk(this.path(), room);
  }

  makeRoom(): void {
    makeRoom(this.path());
  }

  /** Copies the store, and returns the URL of the copy. The service must not write meanwhile. */
  copy(): string {
    const copy = join(temporaryFolder(), this.database);
    for (const end of ['', '-wal']) {
      if (existsSync(this.path(this.database + end))) copyFileSync(this.path(this.database + end), copy + end);
    }
    return `sqlite:${copy}`;
  }

  /** The path of a file on the tmpfs, for this process. */
  private path(name = ''): string {
    return join('/proc', String(this.service.child.pid), 'root', this.folder, name);
  }
}
