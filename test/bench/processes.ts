import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { freePort } from '../support/port.ts';

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const NODE = 'scripts/node';
const FIRST_ANSWER_MS = 30_000;

/** Neither this environment nor an `.env` decides what is measured. */
const UNSET =
  'BASE_URL TOKEN_FILE ADMIN_PORT RATE_LIMIT CORS_ORIGINS TRUST_PROXY JWT_ISSUER JWT_AUDIENCE JWT_SCOPE JWKS_URL';
const DEFAULTS = {
  HOST: '127.0.0.1',
  LOG_LEVEL: 'info',
  ...Object.fromEntries(UNSET.split(' ').map((name) => [name, ''])),
};

export type Environment = Readonly<Record<string, string>>;

/** Whether server and load get a core each (taskset of util-linux), so that they do not disturb each other. */
export const pinned = availableParallelism() > 1 && spawnSync('taskset', ['-c', '0,1', 'true']).status === 0;

export function onCore(core: number, command: readonly string[]): [string, string[]] {
  const [program = '', ...args] = pinned ? ['taskset', '-c', String(core), ...command] : command;
  return [program, args];
}

const folders = new Set<string>();
const children = new Set<ChildProcess>();
/** What ends whatever else is at work in one of the folders; without waiting, as the process is about to end. */
export const endings = new Set<() => void>();

/** Ends and removes what is left of a run that is interrupted. */
export function cleanUp(): void {
  for (const child of children) kill(child);
  for (const end of endings) end();
  // What was killed may take a moment to be gone.
  for (const folder of folders) rmSync(folder, { recursive: true, force: true, maxRetries: 10 });
}

/** A new folder on the disk that the service would use: a system's temporary one may be in memory. */
export class Scratch implements Disposable {
  readonly folder: string;
  /** For a store on SQLite. */
  readonly database: string;
  readonly url: string;

  constructor() {
    mkdirSync(join(ROOT, 'data'), { recursive: true });
    this.folder = mkdtempSync(join(ROOT, 'data/bench-'));
    folders.add(this.folder);
    this.database = join(this.folder, 'plants.db');
    this.url = `sqlite:${this.database}`;
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
    folders.delete(this.folder);
  }
}

/** A server as a process of its own, which has answered its first request. */
export interface Launched {
  readonly child: ChildProcess;
  readonly port: number;
  /** A token that lies in the store, as those of clients do: peers compare with it, the service looks it up. */
  readonly token: string;
  /** From the start of the process to the first 200. */
  readonly startedAfterMs: number;
}

/** Where a server writes its log, and where its store is. */
export type Place = Pick<Scratch, 'folder' | 'url'>;

export async function launch(
  command: readonly string[],
  { folder, url }: Place,
  environment: Environment = {},
): Promise<Launched> {
  const port = await freePort();
  const store = { DATABASE_URL: url };
  // A store may be started with more than once.
  const token = environment['TOKEN'] ?? makeToken(store, `bench-${port}`);
  const env = { ...process.env, ...DEFAULTS, ...environment, ...store, PORT: String(port), TOKEN: token };
  const log = openSync(join(folder, 'log'), 'a');
  const begun = performance.now();
  const [program, args] = onCore(0, command);
  const child = spawn(program, args, { cwd: ROOT, env, detached: true, stdio: ['ignore', log, log, 'ipc'] });
  closeSync(log);
  children.add(child);
  // A program that is not there shows in that no process is.
  child.once('error', () => undefined);
  try {
    if (child.pid === undefined) throw new Error('it cannot be started');
    await firstAnswer(child, port, token);
    return { child, port, token, startedAfterMs: performance.now() - begun };
  } catch (error) {
    await end(child);
    const said = readFileSync(join(folder, 'log'), 'utf8');
    throw new Error(`${command.join(' ')}: ${String(error)}\n${said}`, { cause: error });
  }
}

/** Ends a process that was launched, and what it has started. Its store is of no use any more. */
export async function end(child: ChildProcess): Promise<void> {
  if (child.pid !== undefined && !hasEnded(child)) {
    const exit = once(child, 'exit');
    kill(child);
    await exit;
  }
  children.delete(child);
}

/** By its group, so that npm is ended with what it has started. */
function kill(child: ChildProcess): void {
  if (child.pid !== undefined && !hasEnded(child)) process.kill(-child.pid, 'SIGKILL');
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

function makeToken(store: Environment, name: string): string {
  const { stdout, stderr } = spawnSync(NODE, ['src/main.ts', 'token', 'create', name], {
    cwd: ROOT,
    env: { ...process.env, ...store },
    encoding: 'utf8',
  });
  if (stdout === '') throw new Error(stderr);
  return stdout.trim();
}

async function firstAnswer(child: ChildProcess, port: number, token: string): Promise<void> {
  const deadline = performance.now() + FIRST_ANSWER_MS;
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/plants`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', Connection: 'close' },
      signal: AbortSignal.timeout(FIRST_ANSWER_MS),
      body: '{"id":0,"name":"Monstera deliciosa","tag":"tropical"}',
    }).catch(() => undefined);
    if (response?.status === 200) return;
    // 503: the service answers before its store is open.
    if (response !== undefined && response.status !== 503) throw new Error(await response.text());
    if (hasEnded(child)) throw new Error('it ended');
    if (performance.now() > deadline) throw new Error('it did not answer');
    await sleep(5);
  }
}
