import { once } from 'node:events';
import { flushCompileCache } from 'node:module';
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Authenticator } from '../auth/authenticator.ts';
import { hashToken, makeToken } from '../auth/token.ts';
import { followTokenFile } from '../auth/token-file.ts';
import type { Config } from '../config.ts';
import { PAGES } from '../contract/rules/addresses.ts';
import { type Contract, scopesOf } from '../contract/contract.ts';
import { exactJson } from '../contract/schema/int64.ts';
import { loadContract } from '../contract/load.ts';
import { createApp } from '../http/app.ts';
import { MAX } from '../http/bounds.ts';
import { connectionsAllowed } from '../http/open-files.ts';
import { listen } from '../http/server.ts';
import { strayed } from '../http/stray.ts';
import { createAdmin } from '../observability/admin.ts';
import { createLog, type Log } from '../observability/log.ts';
import { askOneAtATime, watchReadiness } from '../observability/readiness.ts';
import { type AnyService, servicesOf } from '../service.ts';
import { createDocs } from '../pages/docs.ts';
import { layoutOf } from '../storage/layout.ts';
import { openStore } from '../storage/open.ts';
import { StoreUnavailable, type TokenStore } from '../storage/store.ts';
import { reachable } from './health.ts';
import type { Job } from './io.ts';
import { watchSignals } from './signals.ts';
import { buildOf } from './version.ts';

const FIRST_TOKEN = 'first';
/** The time that open requests have after a signal to stop. */
const GRACE_MS = 5000;
/** Ends the process even if work is left. With LOCK_TIMEOUT_MS of sqlite/connection.ts, it must stay below 10 s. */
const END_MS = 5500;

export async function serve(job: Job, warnings: readonly string[]): Promise<void> {
  const log = createLog(job.config.LOG_LEVEL, job.io.stdout);
  for (const each of warnings) log.logger.warn(each);
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

/** Opens the service part by part, waits for the signal to stop, and closes the parts in the reverse order. */
async function run(job: Job, log: Log, stopSignal: AbortSignal, onListening: () => void): Promise<void> {
  const { service, config } = job;
  const { logger } = log;
  const stopRequested = once(stopSignal, 'abort');
  await using resources = new AsyncDisposableStack();
  const contract = await loadContract(service.contract);
  const { connections, openFiles } = connectionsAllowed();
  if (openFiles !== undefined)
    logger.warn({ connections, openFiles }, 'the limit of open files allows fewer connections than the service takes');
  const layout = layoutOf(service);

  const unreachable = Promise.withResolvers<undefined>();
  let reason: string | undefined;
  const onUnreachable = (error: StoreUnavailable) => {
    // The store retries every second, and each try calls this.
    // eslint-disable-next-line no-restricted-syntax -- the same line is logged once, whatever it says
    if (error.message !== reason) logger.warn({ err: error }, 'the store is away');
    reason = error.message;
    unreachable.resolve(undefined);
  };
  // Without an admin listener, prom-client need not be loaded.
  const metrics =
    config.ADMIN_PORT === undefined
      ? undefined
      : new (await import('../observability/metrics.ts')).Metrics(
          service,
          contract,
          config.DATABASE_URL,
          log,
          buildOf(service),
        );
  const store = await openStore(layout, config.DATABASE_URL, {
    create: true,
    onUnreachable,
    onSpread: (tables) => {
      logger.info({ tables }, 'tables are spread over the workers of Citus');
    },
    observer: metrics,
  });
  resources.defer(() => store.close());
  metrics?.watch(store);
  // Waits for a store that is reachable, so that the first request finds it open.
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
  if (TOKEN_FILE !== undefined) {
    const state = { isUsable: true };
    void followTokenFile(TOKEN_FILE, provision, logger, stopSignal, state);
    metrics?.watchTokenFile(state);
  }

  const basePath = config.BASE_URL?.pathname.replace(/\/$/, '') ?? '';
  const app = createApp({
    contract,
    operations: service.operations,
    services: servicesOf(store),
    authenticator,
    log,
    observer: metrics,
    basePath,
    pages: createDocs({ contract, basePath, https: config.BASE_URL?.protocol === 'https:' }),
    rateLimit: config.RATE_LIMIT,
    corsOrigins: config.CORS_ORIGINS,
    corsHeaders: config.CORS_HEADERS,
    proxies: config.TRUST_PROXY,
  });
  if (metrics !== undefined && config.ADMIN_PORT !== undefined) {
    const askStore = askOneAtATime(() => store.ready());
    const ready = async () => {
      if (stopSignal.aborted) throw new Error('the service is stopping');
      // An instance that had the keys once stays ready: an outage of the provider must not take all instances out.
      if (jwt?.keys.age === Infinity) throw new Error('the keys of the token issuer were never fetched');
      await askStore();
    };
    const admin = await listen(createAdmin({ ready, metrics }, logger), config.ADMIN_HOST, config.ADMIN_PORT, logger, {
      connections: MAX.adminConnections,
    });
    resources.defer(() => admin.stop(0));
    logger.info({ url: admin.url }, 'admin listening');
    void watchReadiness(ready, metrics.onReadiness, stopSignal);
  }
  const listener = await listen(app, config.HOST, config.PORT, logger, {
    onUnreadable: metrics?.onUnreadable,
    onCutOff: metrics?.onCutOff,
    connections,
    idleMs: config.IDLE_TIMEOUT,
  });
  resources.defer(() => listener.stop(GRACE_MS));
  metrics?.watchConnections(listener.connections);
  const url = config.BASE_URL?.href.replace(/\/$/, '') ?? reachable(listener.url);
  const docs = url + PAGES.docs;
  onListening();
  logger.info({ url, listening: listener.url, docs }, 'listening');
  // A parent process cannot wait for the log, which LOG_LEVEL may silence.
  job.io.send?.('listening');
  const startup = store.opened.then(async ({ before, now, steps }) => {
    if (steps.length > 0) logger.info({ from: before, to: now, steps }, 'migrated the schema of the store');
    // With TOKEN_FILE or JWT_ISSUER, clients get their tokens elsewhere.
    if (provisioned === undefined && jwt === undefined) {
      const isFirst = await makeFirstToken(job, contract, { tokens: store.tokens, url, onUnreachable, stopSignal });
      if (isFirst) logger.info({ token: FIRST_TOKEN }, 'created the first token of the store');
    }
    logger.info('ready');
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

async function createVerifier({ JWT_ISSUER, JWT_AUDIENCE, JWT_SCOPE = [], JWKS_URL }: Config, { logger }: Log) {
  if (JWT_ISSUER === undefined || JWT_AUDIENCE === undefined) return undefined;
  // Loading jose takes time, so other starts do not load it.
  const { JwtVerifier } = await import('../auth/jwt.ts');
  const settings = { issuer: JWT_ISSUER, audience: JWT_AUDIENCE, scopes: JWT_SCOPE, jwksUrl: JWKS_URL };
  return new JwtVerifier(settings, logger);
}

interface FirstToken {
  readonly tokens: TokenStore;
  /** The public address of the service. */
  readonly url: string;
  readonly onUnreachable: (error: StoreUnavailable) => void;
  readonly stopSignal: AbortSignal;
}

/** Creates and prints a token if the store never had one, and returns whether it did. */
async function makeFirstToken(
  { service, io }: Job,
  contract: Contract,
  { tokens, url, onUnreachable, stopSignal }: FirstToken,
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
