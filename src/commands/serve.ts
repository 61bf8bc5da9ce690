import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Authenticator } from '../auth/authenticator.ts';
import { hashToken, makeToken } from '../auth/token.ts';
import { followTokenFile } from '../auth/token-file.ts';
import type { Config } from '../config.ts';
import { PAGES } from '../contract/addresses.ts';
import { scopesOf } from '../contract/contract.ts';
import { loadContract } from '../contract/load.ts';
import { createApp } from '../http/app.ts';
import { listen } from '../http/server.ts';
import { createAdmin } from '../observability/admin.ts';
import { createLog, type Log } from '../observability/log.ts';
import { operations } from '../operations/index.ts';
import { servicesOf } from '../operations/services.ts';
import { createDocs } from '../pages/docs.ts';
import { createLanding } from '../pages/landing.ts';
import { RESOURCE } from '../resource.ts';
import { openStore } from '../storage/open.ts';
import { StoreUnavailable, type TokenStore } from '../storage/store.ts';
import { reachable } from './health.ts';
import { watchSignals } from './signals.ts';

/** How long requests under way may take after a signal to stop, in milliseconds; the process is gone within 10 s. */
const GRACE_MS = 5000;
/** When the process ends though work is left, in milliseconds; BUSY_MS of sqlite/connection.ts may come on top. */
const END_MS = 5500;

/**
 * Runs the service until SIGTERM, SIGINT or SIGHUP.
 *
 * @param warnings what the log says first
 */
export async function serve(config: Config, warnings: readonly string[]): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  for (const each of warnings) log.logger.warn(each);
  const endProcess = (message: string, error?: unknown) => {
    log.logger.fatal({ err: error }, message);
    void log.flush().then(() => process.exit(1));
  };
  const giveUp = () => {
    endProcess('stopped before all was done');
  };
  process.on('uncaughtException', (error) => {
    endProcess('ended by an unforeseen failure', error);
  });
  const { signal } = watchSignals(giveUp);
  signal.addEventListener('abort', () => {
    log.logger.info({ signal: signal.reason as NodeJS.Signals }, 'stopping');
    // The process ends even if something hangs, such as a locked store. Nothing that was acknowledged is lost.
    setTimeout(giveUp, END_MS).unref();
  });
  try {
    await run(config, log, signal);
    log.logger.info('stopped');
  } finally {
    await log.flush();
  }
}

/** Opens the service part by part, waits for the signal to stop, and closes the parts in the reverse order. */
async function run(config: Config, log: Log, stopSignal: AbortSignal): Promise<void> {
  const { logger } = log;
  const stopRequested = once(stopSignal, 'abort');
  await using resources = new AsyncDisposableStack();
  const contract = await loadContract();

  const unreachable = Promise.withResolvers<undefined>();
  let reason: string | undefined;
  const onUnreachable = (error: StoreUnavailable) => {
    // It is tried again each second.
    if (error.message !== reason) logger.warn({ err: error }, 'the store is away');
    reason = error.message;
    unreachable.resolve(undefined);
  };
  // prom-client is loaded only if Prometheus can ask.
  const metrics =
    config.ADMIN_PORT === undefined
      ? undefined
      : new (await import('../observability/metrics.ts')).Metrics(contract, config.DATABASE_URL, log);
  const store = await openStore(config.DATABASE_URL, { create: true, onUnreachable, observer: metrics });
  resources.defer(() => store.close());
  metrics?.watch(store);
  // If the store is there, it is open before the first request comes; the start does not wait for an unreachable store.
  await Promise.race([store.opened, unreachable.promise, stopRequested]);
  if (stopSignal.aborted) return;

  const scopes = scopesOf(contract);
  const { TOKEN_FILE } = config;
  const provisioned = TOKEN_FILE && { tokens: TOKEN_FILE.tokens, scopes };
  const jwt = await createVerifier(config, log);
  resources.defer(() => jwt?.close());
  if (jwt !== undefined) metrics?.watchKeys(jwt.keys);
  const authenticator = new Authenticator(store.tokens, provisioned, jwt);
  const provision = (tokens: readonly string[]) => {
    authenticator.provision(tokens);
  };
  if (TOKEN_FILE !== undefined) void followTokenFile(TOKEN_FILE, provision, logger, stopSignal);

  const basePath = config.BASE_URL?.pathname.replace(/\/$/, '') ?? '';
  const pageOptions = { contract, basePath, https: config.BASE_URL?.protocol === 'https:' };
  const app = createApp({
    contract,
    operations,
    services: servicesOf(store),
    authenticator,
    log,
    observer: metrics,
    basePath,
    pages: [createDocs(pageOptions), createLanding(pageOptions)],
    rateLimit: config.RATE_LIMIT,
    corsOrigins: config.CORS_ORIGINS,
    proxies: config.TRUST_PROXY,
  });
  if (metrics !== undefined && config.ADMIN_PORT !== undefined) {
    const ready = async () => {
      if (stopSignal.aborted) throw new Error('the service is stopping');
      // An instance that had them once stays ready: a provider that is away must not take all instances out.
      if (jwt?.keys.age === Infinity) throw new Error('the keys of the token issuer were never fetched');
      await store.ready();
    };
    const admin = await listen(createAdmin({ ready, metrics }, logger), config.ADMIN_HOST, config.ADMIN_PORT, logger);
    resources.defer(() => admin.stop(0));
    logger.info({ url: admin.url }, 'admin listening');
  }
  const listener = await listen(app, config.HOST, config.PORT, logger, metrics);
  resources.defer(() => listener.stop(GRACE_MS));
  const url = config.BASE_URL?.href.replace(/\/$/, '') ?? reachable(listener.url);
  const docs = url + PAGES.docs;
  logger.info({ url, listening: listener.url, docs }, 'listening');
  // A parent process may wait for this, at every log level.
  process.send?.('listening');
  const startup = store.opened.then(async () => {
    // With TOKEN_FILE or JWT_ISSUER, clients have tokens already.
    if (provisioned === undefined && jwt === undefined) {
      const urls = { items: `${url}${contract.basePath}/${RESOURCE.many}`, docs };
      await makeFirstToken(store.tokens, scopes, urls, onUnreachable, stopSignal);
    }
    logger.info('ready');
    // The next start needs the cache, also if this process is killed.
    flushCompileCache();
    allocateYoung();
  });
  await Promise.race([stopRequested, startup.then(() => stopRequested)]);
}

/**
 * Makes V8 allocate all objects in the young generation. By default V8 allocates objects in the old one, for all
 * threads, if those from the same place in the code have mostly survived so far, such as all that a start has made.
 * Under load they are garbage at once, but keep alive what they refer to until the next full collection: half of the
 * young generation survived each scavenge, which took eight times as long. The flag is set neither on the command line
 * nor before all is loaded: Node takes compiled code from its cache only under the flags that it was made with.
 */
function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}

async function createVerifier({ JWT_ISSUER, JWT_AUDIENCE, JWT_SCOPE = [], JWKS_URL }: Config, { logger }: Log) {
  if (JWT_ISSUER === undefined || JWT_AUDIENCE === undefined) return undefined;
  // jose is loaded only if it is needed, as it would delay every start.
  const { JwtVerifier } = await import('../auth/jwt.ts');
  const settings = { issuer: JWT_ISSUER, audience: JWT_AUDIENCE, scopes: JWT_SCOPE, jwksUrl: JWKS_URL };
  return new JwtVerifier(settings, logger);
}

/** Gives a store that never had a token its first one, and prints it with an example of its use. */
async function makeFirstToken(
  tokens: TokenStore,
  scopes: readonly string[],
  urls: { readonly items: string; readonly docs: string },
  onUnreachable: (error: StoreUnavailable) => void,
  stopSignal: AbortSignal,
): Promise<void> {
  const token = makeToken();
  for (;;) {
    try {
      if (!(await tokens.addFirst({ name: 'first', hash: hashToken(token), scopes }))) return;
      break;
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) throw error;
      onUnreachable(error);
      await sleep(1000, undefined, { signal: stopSignal });
    }
  }
  console.error(`
This store had no access token. Here is its first one, shown only this once:

  ${token}

Add ${RESOURCE.withArticle}:

  curl '${urls.items}' -H 'Authorization: Bearer ${token}' -H 'Content-Type: application/json' -d '${RESOURCE.example}'

The documentation: ${urls.docs}
`);
}
