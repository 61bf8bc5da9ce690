import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { main } from '../../src/commands/main.ts';
import type { AnyService } from '../../src/service.ts';
import { items } from '../services/items/index.ts';
import type { JsonObject } from '../../../contract/tools/derivation/values.ts';
import { captured } from './io.ts';
import { endWithFile } from './end-with-file.ts';
import { atEnd, temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from './until.ts';

export const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));

/** Tests quote paths too, as the path of the project may have any character. */
export { shellWord as quoted } from '../../src/shell.ts';

/** A service, and how tests reach it as a process. */
export interface Program {
  readonly service: AnyService;
  /** The file that runs it. */
  readonly main: string;
  /** The path to which clients send records. */
  readonly path: string;
  /** The error number of the answer to a record whose key belongs to a different one. */
  readonly conflict: number;
  /** Completes a valid body, so that the rows which it refers to exist. By default, it refers to none. */
  readonly related?: (
    operation: string,
    body: JsonObject,
    service: Pick<Instance, 'url' | 'token'>,
  ) => Promise<JsonObject>;
  /** The scopes of the tokens of its clients; by default, none. */
  readonly scopes?: readonly string[];
}

/** The service of most tests. */
export const ITEMS: Program = {
  service: items,
  main: join(ROOT, 'packages/trellis/test/services/items/main.ts'),
  path: '/items',
  conflict: 40011,
};
const MAIN = ITEMS.main;

export type Environment = Readonly<Record<string, string>>;

/**
 * Node's compile cache halves the time of a start, but makes coverage inexact: it is off while that is measured. Copies of
 * the project share one, which has each file by its path from the cache, to which each copy has a link.
 */
export function compileCache(folder: string): Environment {
  if (process.env['NODE_V8_COVERAGE'] !== undefined) return {};
  const cache = join(folder, 'node_modules/.cache');
  if (folder === ROOT) return { NODE_COMPILE_CACHE: join(cache, 'node') };
  return existsSync(cache) ? { NODE_COMPILE_CACHE: join(cache, 'copies'), NODE_COMPILE_CACHE_PORTABLE: '1' } : {};
}

/** The progress that a command writes after 10 s to a stderr that is no terminal: on a busy machine, any may take so long. */
const PROGRESS = /^(?:\d+ % {2})?[\d,]+ \S+ {2}[\d,]+\/s(?: {2}\d+ (?:s|min) left)?\n/gm;

/** A command that a test started, with its output so far. */
export interface Output {
  readonly stdout: () => string;
  /** Without lines about the progress. */
  readonly stderr: () => string;
  /** The lines of stdout that are JSON, parsed. */
  readonly log: () => Record<string, unknown>[];
  /** Its exit code, or the signal that ended it. */
  readonly ended: Promise<number | NodeJS.Signals | null>;
}

/** A process that a test started. */
export interface Started extends Output {
  readonly child: ChildProcess;
}

/** Starts a program that inherits only PATH and HOME from this process, and so none of its settings. */
export function start(
  command: string,
  args: readonly string[],
  environment: Environment,
  cwd: string,
  user: { readonly uid?: number; readonly gid?: number } = {},
  stdin: 'ignore' | 'pipe' = 'ignore',
): Started {
  const { PATH = '', HOME = '' } = process.env;
  // Node passes NODE_V8_COVERAGE on to children unless it is set. Another user cannot write into that folder.
  const coverage = user.uid === undefined ? {} : { NODE_V8_COVERAGE: '' };
  const cache = compileCache(cwd === ROOT || args.some((each) => each.includes(ROOT)) ? ROOT : cwd);
  const env = { PATH, HOME, ...coverage, ...cache, ...environment };
  const child = spawn(command, args, { ...user, env, cwd, stdio: [stdin, 'pipe', 'pipe'] });
  endWithFile(child);
  let [stdout, stderr] = ['', ''];
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const ended = once(child, 'close').then(
    ([code, signal]: (number | NodeJS.Signals | null)[]) => code ?? signal ?? null,
  );
  return {
    child,
    stdout: () => stdout,
    stderr: () => stderr.replace(PROGRESS, ''),
    log: () => linesOf(stdout),
    ended,
  };
}

interface Ended {
  readonly code: number | NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

function linesOf(stdout: string): Record<string, unknown>[] {
  return (
    stdout
      .split('\n')
      // The text behind the last newline is an incomplete line.
      .slice(0, -1)
      .filter((line) => line.startsWith('{'))
      .map((line) => JSON.parse(line) as Record<string, unknown>)
  );
}

/** Starts a command of a service in this process. */
function startHere(service: AnyService, args: readonly string[], environment: Environment, cwd: string, input = '') {
  const { io, exited, stdout, stderr: all } = captured(environment, cwd, input);
  const stderr = () => all().replace(PROGRESS, '');
  const ended = Promise.race([main(service, args, io), exited]);
  return { io, stdout, stderr, log: () => linesOf(stdout()), ended };
}

/** Runs a command of a service to its end, in this process. It reads `input` from stdin. */
export async function runCommand(
  args: readonly string[],
  environment: Environment,
  cwd = ROOT,
  service: AnyService = items,
  input = '',
): Promise<Ended> {
  return endOf(startHere(service, args, environment, cwd, input));
}

/** Runs a command as a process, for tests of what only a process has: a start, a user, a copy of the project. */
export async function runProcess(
  args: readonly string[],
  environment: Environment,
  cwd = ROOT,
  user: { readonly uid?: number; readonly gid?: number } = {},
  main = MAIN,
): Promise<Ended> {
  return endOf(start(process.execPath, [main, ...args], environment, cwd, user));
}

async function endOf({ ended, stdout, stderr }: Output): Promise<Ended> {
  const code = await ended;
  return { code, stdout: stdout(), stderr: stderr() };
}

/** A running service, on a free port. */
export interface Instance extends Output {
  readonly url: string;
  /** The first token, which the service printed; '' if it printed none. */
  readonly token: string;
  /** Sends SIGTERM, and waits until the service has stopped. */
  readonly stop: () => Promise<number | NodeJS.Signals | null>;
}

/** A service as a process. */
export type Service = Instance & Started;

const withDefaults = (environment: Environment): Environment => ({
  PORT: '0',
  DATABASE_URL: `sqlite:${join(temporaryFolder(), 'items.db')}`,
  ...environment,
});

/** Starts the service in this process, for tests of what it does, rather than of a start, a signal or a crash. */
export async function startInstance(
  environment: Environment = {},
  service: AnyService = items,
  cwd = ROOT,
  stage: 'listening' | 'ready' = 'ready',
): Promise<Instance> {
  const { io, ...started } = startHere(service, ['serve'], withDefaults(environment), cwd);
  const stop = () => {
    io.emit('SIGTERM', 'SIGTERM');
    return started.ended;
  };
  atEnd(async () => {
    await stop();
  });
  return instanceOf(started, await listening(started, stage), stop);
}

function instanceOf<O extends Output>(started: O, url: string, stop: Instance['stop']): O & Instance {
  return {
    ...started,
    url,
    stop,
    get token() {
      return /\b[a-z]+_[\w-]{43}\b/.exec(started.stderr())?.[0] ?? '';
    },
  };
}

/** Starts the service, and waits until it is ready, or only until it listens. It gets a new SQLite file by default. */
export async function startService(
  environment: Environment = {},
  cwd = ROOT,
  main = MAIN,
  stage: 'listening' | 'ready' = 'ready',
): Promise<Service> {
  const started = start(process.execPath, [main, 'serve'], withDefaults(environment), cwd);
  const url = await listening(started, stage);
  // The event loop first reads the stderr that the service has written by now.
  await new Promise((resolve) => setImmediate(resolve));
  return instanceOf(started, url, () => {
    started.child.kill('SIGTERM');
    return started.ended;
  });
}

/** Waits until a service listens, or until it is ready, and returns its URL. */
export async function listening(
  { log, stdout, stderr, ended }: Output,
  stage: 'listening' | 'ready' = 'ready',
): Promise<string> {
  let isOver = false;
  void ended.then(() => {
    isOver = true;
  });
  const line = await until(() => {
    if (isOver) throw new Error(`the service ended before it listened: ${stderr()}`);
    return log().some(({ msg }) => msg === stage) && log().find(({ msg }) => msg === 'listening');
  }).catch((error: unknown) => {
    throw new Error(`the service did not start: ${JSON.stringify([stdout(), stderr()])}`, { cause: error });
  });
  return String(line['listening']);
}

/** Sends an item as JSON text, because a JavaScript number would lose digits of a large id. */
export function createItem(
  { url, token }: { readonly url: string; readonly token: string },
  body: string | Uint8Array<ArrayBuffer>,
  headers: Environment = {},
): Promise<Response> {
  return fetch(`${url}/items`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', ...headers },
    body,
  });
}
