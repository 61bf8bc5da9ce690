import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { createAdmin } from '../observability/admin.ts';
import { createApp } from '../http/app.ts';
import { Authenticator } from '../auth/authenticator.ts';
import type { JwtVerifier } from '../auth/jwt.ts';
import { hashToken, makeToken } from '../auth/token.ts';
import { type Config, readConfig, readEnvironment } from '../config.ts';
import { loadContract } from '../contract/load.ts';
import { createDocs } from '../pages/docs.ts';
import { createLanding } from '../pages/landing.ts';
import { createLog, type Log } from '../observability/log.ts';
import { operations } from '../operations/index.ts';
import { listen } from '../http/server.ts';
import { openStore } from '../storage/open.ts';
import { StoreUnavailable, type TokenStore } from '../storage/store.ts';
import { stopped } from './interruption.ts';

/** How long requests under way may take once the service is told to stop; the process is gone within 10 s. */
const GRACE_MS = 5000;
/** When the process ends, though work is left; a wait of the store for its lock (2 s) may come on top. */
const END_MS = 5500;

/** Runs the service until SIGTERM, SIGINT or SIGHUP. */
export async function serve(): Promise<void> {
  const config = readConfig(readEnvironment());
  const log = createLog(config.logLevel);
  const { signal } = stopped(() => void endNow(log, 'stopped before all was done'));
  process.on('uncaughtException', (error) => void endNow(log, 'ended by an unforeseen failure', error));
  try {
    await run(config, log, signal);
  } finally {
    await log.flush();
  }
}

async function run(config: Config, log: Log, stopping: AbortSignal): Promise<void> {
  const { logger } = log;
  const stop = once(stopping, 'abort');
  await using open = new AsyncDisposableStack();
  const contract = await loadContract();

  const away = Promise.withResolvers<undefined>();
  const onAway = (error: StoreUnavailable) => {
    logger.warn({ err: error }, 'the store is away');
    away.resolve(undefined);
  };
  // Loaded only where Prometheus can ask.
  const metrics =
    config.admin && new (await import('../observability/metrics.ts')).Metrics(contract, config.store, log);
  const store = await openStore(config.store, { create: true, onAway, observer: metrics?.store });
  metrics?.store.readWaiting(() => store.waiting());
  metrics?.store.readPlants(() => store.plants.count());
  open.defer(() => store.close());
  // A store that is there is open before the first request comes; one that is away is not waited for.
  await Promise.race([store.opened, away.promise, stop]);

  const jwt = await createVerifier(config, log);
  open.defer(() => jwt?.close());

  const basePath = config.baseUrl?.pathname.replace(/\/$/, '') ?? '';
  const shown = { contract, basePath, https: config.baseUrl?.protocol === 'https:' };
  const app = createApp({
    contract,
    operations,
    services: { plants: store.plants },
    authenticator: new Authenticator(store.tokens, config.provisionedToken, jwt),
    log,
    observer: metrics?.requests,
    basePath,
    pages: [createDocs(shown), createLanding(shown)],
    rateLimit: config.rateLimit,
    corsOrigins: config.corsOrigins,
    proxies: config.proxies,
  });
  if (config.admin !== undefined && metrics !== undefined) {
    const { host, port } = config.admin;
    const ready = async () => {
      if (stopping.aborted) throw new Error('the service is stopping');
      await store.ready();
    };
    const admin = await listen(createAdmin({ ready, metrics }, logger), host, port, logger);
    open.defer(() => admin.stop(0));
    logger.info({ url: admin.url }, 'admin listening');
  }
  const { unreadable: onUnreadable, cutOff: onCutOff } = metrics?.requests ?? {};
  const listener = await listen(app, config.host, config.port, logger, { onUnreadable, onCutOff });
  open.defer(() => listener.stop(GRACE_MS));
  const url = config.baseUrl?.href.replace(/\/$/, '') ?? reachable(listener.url);
  logger.info({ url, listening: listener.url, docs: `${url}/docs` }, 'listening');
  // To a parent that waits for it, at every log level.
  process.send?.('listening');
  const ready = store.opened.then(async () => {
    await introduce(store.tokens, config, url, onAway, stopping);
    logger.info('ready');
    // For the next start, also if this process is killed.
    flushCompileCache();
    allocateYoung();
  });

  await Promise.race([stop, ready.then(() => stop)]);
  logger.info({ signal: stopping.reason as NodeJS.Signals }, 'stopping');
  // Whatever hangs, a store that is locked for one: the process ends. Nothing that was acknowledged is lost.
  setTimeout(() => {
    void endNow(log, 'stopped before all was done');
  }, END_MS).unref();
  // What was opened is closed in the reverse order.
  await open.disposeAsync();
  logger.info('stopped');
}

/**
 * Else V8 decides, for all threads, to allocate in the old generation what has mostly survived so far, such as what there
 * is when a service has started. Under load that is garbage at once, but keeps alive what it refers to until the next
 * full collection: half of the young generation survived each scavenge, which took eight times as long. Not on the
 * command line, nor before all is loaded: what Node has compiled, of itself and of this, it takes only under the flags
 * that it was made with.
 */
function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

/** An address that a client on this machine can use, where the service listens on all of them. */
function reachable(url: string): string {
  return url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}

async function createVerifier({ issuer }: Config, { logger }: Log): Promise<JwtVerifier | undefined> {
  if (issuer === undefined) return undefined;
  // Loaded only where it is needed, as it would delay every start.
  const { JwtVerifier } = await import('../auth/jwt.ts');
  return new JwtVerifier(issuer, logger);
}

/** A store that never had a token gets one, which is printed with what to do with it. */
async function introduce(
  tokens: TokenStore,
  { provisionedToken, issuer }: Config,
  url: string,
  onAway: (error: StoreUnavailable) => void,
  stopping: AbortSignal,
): Promise<void> {
  if (provisionedToken !== undefined || issuer !== undefined) return;
  const token = makeToken();
  for (;;) {
    try {
      if (!(await tokens.addFirst({ name: 'first', hash: hashToken(token) }))) return;
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      onAway(error);
      await sleep(1000, undefined, { signal: stopping });
    }
  }
  console.error(`
This store had no access token. Here is its first one, shown only this once:

  ${token}

Add a plant:

  curl '${url}/plants' -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '{"id":1,"name":"Monstera deliciosa","tag":"tropical"}'

The documentation: ${url}/docs
`);
}

async function endNow(log: Log, message: string, cause?: unknown): Promise<never> {
  log.logger.fatal({ err: cause }, message);
  await log.flush();
  process.exit(1);
}
