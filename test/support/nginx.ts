import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from './port.ts';
import { ROOT, start, type Started } from './service.ts';
import { temporaryFolder } from './temporary.ts';

/** What hinders tests with nginx here; undefined: nothing does. */
export function whyNoNginx(): string | undefined {
  return spawnSync('nginx', ['-v']).error === undefined ? undefined : 'there is no nginx: install Debian’s';
}

/** The user of the image `nginx`, where tests may take on another user. */
const NGINX = process.getuid?.() === 0 ? { uid: 101, gid: 101 } : {};

export interface Proxy extends Started {
  readonly url: string;
  /** Asks it to end in order, and waits until it has. */
  readonly stop: () => Promise<number | NodeJS.Signals | null>;
}

export interface ProxyOptions {
  /** A file of `deploy/` with upstreams, and what takes the place of the addresses there. */
  readonly upstreams: string;
  readonly addresses: Readonly<Record<string, string>>;
  /** What of `nginx.conf` has another text here, beside its port. */
  readonly edits?: Readonly<Record<string, string>>;
  readonly command?: readonly string[];
}

/** Starts nginx with the configuration of `deploy/`: only addresses and ports are others. */
export async function startNginx({
  upstreams,
  addresses,
  edits = {},
  command = COMMAND,
}: ProxyOptions): Promise<Proxy> {
  const folder = temporaryFolder();
  chmodSync(folder, 0o755);
  const port = await freePort();
  const configured = (file: string, texts: Readonly<Record<string, string>>) =>
    Object.entries(texts).reduce(
      (text, [from, to]) => {
        if (!text.includes(from)) throw new Error(`${file} has no ${from}`);
        return text.replaceAll(from, to);
      },
      readFileSync(join(ROOT, 'deploy', file), 'utf8'),
    );
  const listens = { 'listen 8080': `listen 127.0.0.1:${port}` };
  writeFileSync(join(folder, 'nginx.conf'), configured('nginx.conf', { ...listens, ...edits }));
  writeFileSync(join(folder, 'upstreams.conf'), configured(upstreams, addresses));
  const writable = join(folder, 'run');
  mkdirSync(writable, { mode: 0o700 });
  if (NGINX.uid !== undefined) chownSync(writable, NGINX.uid, NGINX.gid);
  const places: Readonly<Record<string, string>> = {
    '/run/nginx': writable,
    '/etc/plant-store/nginx.conf': join(folder, 'nginx.conf'),
  };
  const [program = '', ...args] = command.map((word) => places[word] ?? word);
  const started = start(program, args, {}, '/', NGINX);
  await accepting(port, started);
  const stop = () => {
    started.child.kill('SIGQUIT');
    return started.ended;
  };
  return { ...started, url: `http://127.0.0.1:${port}`, stop };
}

const COMMAND = ['nginx', '-e', 'stderr', '-p', '/run/nginx', '-c', '/etc/plant-store/nginx.conf'];

/** Waits until a port takes connections. */
export async function accepting(port: number, { child, stderr }: Started): Promise<void> {
  for (;;) {
    const socket = connect(port, '127.0.0.1');
    const open = await new Promise((resolve) => {
      socket
        .once('connect', () => {
          resolve(true);
        })
        .once('error', () => {
          resolve(false);
        });
    });
    socket.destroy();
    if (open === true) return;
    if (child.exitCode !== null) throw new Error(`it ended before it listened: ${stderr()}`);
    await sleep(10);
  }
}
