import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Authenticator } from '../auth/authenticator.ts';
import { hashToken, makeToken } from '../auth/token.ts';
import { type Config, readConfig } from '../config.ts';
import { loadContract } from '../contract/load.ts';
import { createApp } from '../http/app.ts';
import { listen } from '../http/server.ts';
import { createAdmin } from '../observability/admin.ts';
import { createLog, type Log } from '../observability/log.ts';
import { operations } from '../operations/index.ts';
import { createDocs } from '../pages/docs.ts';
import { createLanding } from '../pages/landing.ts';
import { openStore } from '../storage/open.ts';
import { StoreUnavailable, type TokenStore } from '../storage/store.ts';
import { stopSignal } from './signals.ts';

/** How long requests under way may take once the service is told to stop; the process is gone within 10 s. */
const GRACE_MS = 5000;
/** When the process ends, though work is left; a wait of the store for its lock (2 s) may come on top. */
const END_MS = 5500;

/** Runs the service until SIGTERM, SIGINT or SIGHUP. */
export async function serve(): Promise<void> {
  const config = readConfig();
  const log = createLog(config.LOG_LEVEL);
  const end = (message: string, error?: unknown) => {
    log.logger.fatal({ err: error }, message);
    void log.flush().then(() => process.exit(1));
  };
  const endEarly = () => {
    end('stopped before all was done');
  };
  process.on('uncaughtException', (error) => {
    end('ended by an unforeseen failure', error);
  });
  const { signal } = stopSignal(endEarly);
  signal.addEventListener('abort', () => {
    log.logger.info({ signal: signal.reason as NodeJS.Signals }, 'stopping');
    // Whatever hangs, a store that is locked for one: the process ends. Nothing that was acknowledged is lost.
    setTimeout(endEarly, END_MS).unref();
  });
  try {
    await run(config, log, signal);
    log.logger.info('stopped');
  } finally {
    await log.flush();
  }
}

/** Opens the service part by part; when it is told to stop, each part is closed in the reverse order. */
async function run(config: Config, log: Log, stopping: AbortSignal): Promise<void> {
  const { logger } = log;
  const stop = once(stopping, 'abort');
  await using open = new AsyncDisposableStack();
  const contract = await loadContract();

  const unreachable = Promise.withResolvers<undefined>();
  const onUnreachable = (error: StoreUnavailable) => {
    logger.warn({ err: error }, 'the store is away');
    unreachable.resolve(undefined);
  };
  // Loaded only where Prometheus can ask.
  const metrics =
    config.ADMIN_PORT === undefined
      ? undefined
      : new (await import('../observability/metrics.ts')).Metrics(contract, config.DATABASE_URL, log);
  const store = await openStore(config.DATABASE_URL, { create: true, onUnreachable, observer: metrics });
  open.defer(() => store.close());
  metrics?.watch(store);
  // A store that is there is open before the first request comes; for an unreachable one the service does not wait.
  await Promise.race([store.opened, unreachable.promise, stop]);

  const jwt = await createVerifier(config, log);
  open.defer(() => jwt?.close());

  const basePath = config.BASE_URL?.pathname.replace(/\/$/, '') ?? '';
  const shown = { contract, basePath, https: config.BASE_URL?.protocol === 'https:' };
  const app = createApp({
    contract,
    operations,
    services: { plants: store.plants },
    authenticator: new Authenticator(store.tokens, config.TOKEN_FILE, jwt),
    log,
    observer: metrics,
    basePath,
    pages: [createDocs(shown), createLanding(shown)],
    rateLimit: config.RATE_LIMIT,
    corsOrigins: config.CORS_ORIGINS,
    proxies: config.TRUST_PROXY,
  });
  if (metrics !== undefined && config.ADMIN_PORT !== undefined) {
    const ready = async () => {
      if (stopping.aborted) throw new Error('the service is stopping');
      await store.ready();
    };
    const admin = await listen(createAdmin({ ready, metrics }, logger), config.ADMIN_HOST, config.ADMIN_PORT, logger);
    open.defer(() => admin.stop(0));
    logger.info({ url: admin.url }, 'admin listening');
  }
  const listener = await listen(app, config.HOST, config.PORT, logger, metrics);
  open.defer(() => listener.stop(GRACE_MS));
  // An address that a client on this machine can use, where the service listens on all of them.
  const reachable = listener.url.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
  const url = config.BASE_URL?.href.replace(/\/$/, '') ?? reachable;
  logger.info({ url, listening: listener.url, docs: `${url}/docs` }, 'listening');
  // To a parent that waits for it, at every log level.
  process.send?.('listening');
  const ready = store.opened.then(async () => {
    // Otherwise clients have tokens already.
    if (config.TOKEN_FILE === undefined && jwt === undefined) {
      await makeFirstToken(store.tokens, url, onUnreachable, stopping);
    }
    logger.info('ready');
    // For the next start, also if this process is killed.
    flushCompileCache();
    allocateYoung();
  });
  await Promise.race([stop, ready.then(() => stop)]);
}

/**
 * Otherwise V8 decides, for all threads, to allocate in the old generation what has mostly survived so far, such as all
 * that a start has made. Under load that is garbage at once, but keeps alive what it refers to until the next full
 * collection: half of the young generation survived each scavenge, which took eight times as long. Not on the command
 * line, nor before all is loaded: Node takes compiled code from its cache only under the flags that it was made with.
 */
function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

async function createVerifier({ JWT_ISSUER, JWT_AUDIENCE, JWT_SCOPE = [], JWKS_URL }: Config, { logger }: Log) {
  if (JWT_ISSUER === undefined || JWT_AUDIENCE === undefined) return undefined;
  // Loaded only where it is needed, as it would delay every start.
  const { JwtVerifier } = await import('../auth/jwt.ts');
  const settings = { issuer: JWT_ISSUER, audience: JWT_AUDIENCE, scopes: JWT_SCOPE, jwksUrl: JWKS_URL };
  return new JwtVerifier(settings, logger);
}

/** Gives a store that never had a token its first one, and prints it with what to do with it. */
async function makeFirstToken(
  tokens: TokenStore,
  url: string,
  onUnreachable: (error: StoreUnavailable) => void,
  stopping: AbortSignal,
): Promise<void> {
  const token = makeToken();
  for (;;) {
    try {
      if (!(await tokens.addFirst({ name: 'first', hash: hashToken(token) }))) return;
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      onUnreachable(error);
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
