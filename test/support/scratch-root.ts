import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, copyFileSync, existsSync, linkSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** What makes a root of its own impossible here; undefined: nothing does. */
export function whyNoRoot(): string | undefined {
  if (process.getuid?.() !== 0) return 'a root file system of its own needs root';
  const { status } = spawnSync('unshare', ['--mount', '--pid', '--fork', 'mount', '-t', 'tmpfs', 'none', '/mnt']);
  return status === 0 ? undefined : 'this machine allows no mount namespaces (unshare --mount --pid)';
}

/** What Dockerfile's RUN needs of Debian, and no more. */
const PROGRAMS = ['sh', 'env', 'install', 'chmod'];

/** A user of the image `node`, by name. */
export const USERS: Readonly<Record<string, number>> = { root: 0, node: 1000 };

/**
 * Makes what stands for `node:…-bookworm-slim`: the C library and the few programs that are used, from this machine, and
 * Node at the version of the base; npm is mounted by whoever needs it.
 *
 * @throws Error if the Node that runs this has another version than the base
 */
export function makeBase(root: string, base: string): void {
  chmodSync(root, 0o755);
  for (const folder of ['usr/bin', 'usr/lib', 'usr/lib64', 'usr/local/bin', 'usr/local/lib', 'dev', 'proc', 'root']) {
    mkdirSync(join(root, folder), { recursive: true });
  }
  for (const name of ['bin', 'lib', 'lib64']) symlinkSync(`usr/${name}`, join(root, name));
  mkdirSync(join(root, 'etc'));
  const users = Object.entries(USERS);
  writeFileSync(join(root, 'etc/passwd'), users.map(([name, id]) => `${name}:x:${id}:${id}::/:/bin/sh\n`).join(''));
  writeFileSync(join(root, 'etc/group'), users.map(([name, id]) => `${name}:x:${id}:\n`).join(''));
  for (const file of ['resolv.conf', 'hosts', 'nsswitch.conf']) {
    if (existsSync(`/etc/${file}`)) copyFileSync(`/etc/${file}`, join(root, 'etc', file));
  }
  mkdirSync(join(root, 'tmp'));
  chmodSync(join(root, 'tmp'), 0o1777);
  if (!base.startsWith(`node:${process.versions.node}-`))
    throw new Error(`${base} is not Node ${process.versions.node}`);
  const node = join(root, 'usr/local/bin/node');
  linkOrCopy(process.execPath, node);
  for (const program of PROGRAMS) copyFileSync(which(program), join(root, 'usr/bin', program));
  for (const program of [process.execPath, ...PROGRAMS.map(which)]) copyLibraries(program, root);
  symlinkSync('../lib/node_modules/npm/bin/npm-cli.js', join(root, 'usr/local/bin/npm'));
}

function which(program: string): string {
  return execFileSync('sh', ['-c', `command -v ${program}`], { encoding: 'utf8' }).trim();
}

function linkOrCopy(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch {
    // Of another file system.
    copyFileSync(from, to);
  }
}

function copyLibraries(program: string, root: string): void {
  const needed = execFileSync('ldd', [program], { encoding: 'utf8' });
  for (const [, path = ''] of needed.matchAll(/(?:=> |^\s*)(\/\S+)/gm)) {
    const to = join(root, path);
    mkdirSync(dirname(to), { recursive: true });
    if (!existsSync(to)) copyFileSync(path, to);
  }
}

export interface Surroundings {
  readonly user: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly readOnly: boolean;
  /** Folders of this machine by where they are mounted; they can be written even if all else cannot. */
  readonly mounts: Readonly<Record<string, string>>;
}

// The root is mounted upon itself, as it is a mount that can be made read-only, without what is mounted in it.
const ENTER = `set -e
root=$1 options=$2 mounts=$3
for mount in $mounts; do mkdir -p "$root\${mount%%=*}"; done
mount --bind "$root" "$root"
mount -o "remount,bind,$options" "$root"
mount --rbind /dev "$root/dev"
mount -t proc proc "$root/proc"
for mount in $mounts; do mount --bind "\${mount#*=}" "$root\${mount%%=*}"; done
shift 3
exec chroot "$@"`;

/** The command line that runs a program in a root of its own, where it is process 1, as in a container. */
export function inRoot(root: string, around: Surroundings, command: readonly string[]): string[] {
  const id = String(USERS[around.user]);
  const mounts = Object.entries(around.mounts).map(([at, from]) => `${at}=${from}`);
  const env = Object.entries({ PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/root', ...around.env });
  return [
    ...['unshare', '--mount', '--pid', '--fork', '--kill-child', 'sh', '-c', ENTER, 'sh'],
    ...[root, around.readOnly ? 'ro' : 'rw', mounts.join(' ')],
    ...[`--userspec=${id}:${id}`, '--groups=', root],
    ...['/usr/bin/env', '--ignore-environment', `--chdir=${around.workdir}`],
    ...env.map(([name, value]) => `${name}=${value}`),
    ...command,
  ];
}
