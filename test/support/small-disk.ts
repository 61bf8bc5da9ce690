import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { tmpdir } from 'node:os';
import { listening, ROOT, start, type Started } from './service.ts';
import { temporaryFolder } from './temporary.ts';
import { readPlants } from './place.ts';

/** More than the plants of a long run take, the log (WAL) included. */
const SIZE = '96m';

/** How a process gets mounts of its own: as root, or else as the root of a user namespace. */
export const UNSHARE = [['--mount'], ['--user', '--map-root-user', '--mount']].find(
  (flags) => spawnSync('unshare', [...flags, 'mount', '-t', 'tmpfs', 'tmpfs', tmpdir()]).status === 0,
);

/** Why there cannot be a small disk here. */
export const noSmallDisk =
  UNSHARE === undefined
    ? 'unshare cannot mount a file system here: it takes Linux, and root or user namespaces'
    : undefined;

/** A service whose store lies on a file system of its own, which nobody else has: when it ends, so does that. */
export class SmallDisk {
  readonly service: Started;
  private readonly folder: string;
  private readonly database: string;

  /** @param database the store, which is copied there */
  constructor(database: string) {
    this.folder = temporaryFolder();
    this.database = basename(database);
    const mount = 'mount -t tmpfs -o size="$1" tmpfs "$2" && cp "$3" "$2" && shift 3 && exec "$@"';
    const inner = ['sh', '-c', mount, 'sh', SIZE, this.folder, database];
    const serve = [process.execPath, join(ROOT, 'src/main.ts'), 'serve'];
    const settings = { PORT: '0', ADMIN_PORT: '0', DATABASE_URL: `sqlite:${join(this.folder, this.database)}` };
    this.service = start('unshare', [...(UNSHARE ?? []), ...inner, ...serve], settings, ROOT);
  }

  /** Where the service listens, once it does, for clients and for operators. */
  async listening(): Promise<{ url: string; admin: string }> {
    const url = await listening(this.service);
    const line = this.service.log().find(({ msg }) => msg === 'admin listening');
    return { url, admin: String(line?.['url']) };
  }

  /** Leaves room for so many bytes. */
  fill(room: number): void {
    const { bavail, bsize } = statfsSync(this.path());
    try {
      writeFileSync(this.path('ballast'), Buffer.alloc(Math.max(0, bavail * bsize - room)));
    } catch (error) {
      // The service has written meanwhile: the disk is as full as it gets.
      if (!(Error.isError(error) && 'code' in error && error.code === 'ENOSPC')) throw error;
    }
  }

  makeRoom(): void {
    rmSync(this.path('ballast'));
  }

  /** What is stored, read from a copy, while nothing is written. */
  async read() {
    const copy = join(temporaryFolder(), this.database);
    for (const end of ['', '-wal']) {
      if (existsSync(this.path(this.database + end))) copyFileSync(this.path(this.database + end), copy + end);
    }
    return await readPlants(`sqlite:${copy}`);
  }

  /** Where this process finds a file of it. */
  private path(name = ''): string {
    return join('/proc', String(this.service.child.pid), 'root', this.folder, name);
  }
}
