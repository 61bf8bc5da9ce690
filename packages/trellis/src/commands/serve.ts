import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { hashToken, makeToken } from '../auth/token.ts';
import { type Contract, scopesOf } from '../contract/contract.ts';
import { PAGES } from '../contract/rules/addresses.ts';
import { exactJson } from '../contract/schema/int64.ts';
import { untestedValidator } from '../contract/validator/validator-eov.ts';
import { untestedNode } from '../http/node-http.ts';
import { strayed } from '../http/stray.ts';
import { createLog, type Log } from '../observability/log.ts';
import type { AnyService } from '../service.ts';
import { StoreUnavailable } from '../storage/store.ts';
import { openInstance, type Running } from './instance.ts';
import type { Job } from './io.ts';
import { watchSignals } from './signals.ts';

const FIRST_TOKEN = 'first';
/**
 * Ends the process even if work is left: some time after GRACE_MS of instance.ts. With LOCK_TIMEOUT_MS of
 * sqlite/connection.ts, it must stay below 10 s.
 */
const END_MS = 5500;

export async function serve(job: Job, warnings: readonly string[]): Promise<void> {
  const log = createLog(job.config.LOG_LEVEL, job.io.stdout);
  for (const each of [...warnings, untestedNode(), untestedValidator()]) if (each !== undefined) log.logger.warn(each);
  const endProcess = (message: string, error?: unknown) => {
    log.logger.fatal({ err: error }, message);
    void log.flush().then(() => job.io.exit(1));
  };
  const giveUp = () => {
    endProcess('stopped before all was done');
  };
  let serving = false;
  for (const event of ['uncaughtException', 'unhandledRejection'])
    job.io.on(event, (error: unknown) => {
      // Once clients are served, no failure of one of them, or of the service's own code, ends what the others wait for.
      if (serving) log.logger.error({ operation: strayed(), err: error }, 'something failed that no request awaits');
      else endProcess('ended by an unforeseen failure', error);
    });
  const { signal } = watchSignals(job.io, giveUp);
  signal.addEventListener('abort', () => {
    log.logger.info({ signal: signal.reason as NodeJS.Signals }, 'stopping');
    // Ends the process even if it hangs, at a locked store for example. No acknowledged write is lost.
    setTimeout(giveUp, END_MS).unref();
  });
  try {
    await run(job, log, signal, () => (serving = true));
    log.logger.info('stopped');
  } finally {
    await log.flush();
  }
}

/** Runs an instance until the signal to stop. */
async function run(job: Job, log: Log, stopSignal: AbortSignal, onListening: () => void): Promise<void> {
  const stopRequested = once(stopSignal, 'abort');
  await using stack = new AsyncDisposableStack();
  const instance = await openInstance(job, log, stopSignal, stack);
  if (instance === undefined) return;
  onListening();
  // A parent process cannot wait for the log, which LOG_LEVEL may silence.
  job.io.send?.('listening');
  const startup = instance.ready.then(async () => {
    if (!instance.hasIssuer && (await makeFirstToken(job, instance, stopSignal)))
      log.logger.info({ token: FIRST_TOKEN }, 'created the first token of the store');
    log.logger.info('ready');
    // Speeds up the next start even if this process is killed.
    flushCompileCache();
    allocateYoung();
  });
  await Promise.race([stopRequested, startup.then(() => stopRequested)]);
}

/**
 * Makes V8 allocate all objects in the young generation. By default, V8 allocates objects in the old generation if
 * objects from the same line of code survived before, as those of the start did. Under load they soon are garbage, but
 * keep young objects alive until the next full collection: half of the young generation survived each scavenge, which
 * took eight times as long. Set after loading, as Node's compile cache is valid for one set of flags only.
 */
function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** Creates and prints a token if the store never had one, and returns whether it did. */
async function makeFirstToken(
  { service, io }: Job,
  { contract, store: { tokens }, url, onUnreachable }: Running,
  stopSignal: AbortSignal,
): Promise<boolean> {
  const token = makeToken(service.name);
  for (;;) {
    try {
      const scopes = scopesOf(contract);
      if (!(await tokens.addFirst({ name: FIRST_TOKEN, hash: hashToken(token), scopes }))) return false;
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      onUnreachable(error);
      await sleep(1000, undefined, { signal: stopSignal });
    }
  }
  io.stderr.write(`
The store had no access token yet. This is its first one, and it is shown only once:

  ${token}
${firstRequest(service, contract, url, token)}
Documentation: ${url}${PAGES.docs}

`);
  return true;
}

/** A command for a shell that sends an example of the contract; '' without one. */
function firstRequest({ records }: AnyService, contract: Contract, url: string, token: string): string {
  const [id] = Object.values(records);
  const operation = contract.operations.find((each) => each.id === id);
  if (operation?.body?.example === undefined || operation.path.includes('{')) return '';
  const { summary = operation.id, method, path, body } = operation;
  const [mediaType = ''] = body.types.keys();
  const parts = [
    `curl ${quoted(url + contract.basePath + path)}`,
    ...(method === 'POST' ? [] : [`-X ${method}`]),
    `-H ${quoted(`Authorization: Bearer ${token}`)}`,
    `-H ${quoted(`Content-Type: ${mediaType}`)}`,
    `-d ${quoted(exactJson(body.example))}`,
  ];
  return `\n${summary}:\n\n  ${parts.join(' ')}\n`;
}

/** For a shell of POSIX. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
