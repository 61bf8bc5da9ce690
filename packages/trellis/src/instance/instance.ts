import { once } from 'node:events';
import { Authenticator } from '../auth/authenticator.ts';
import { tokenPrefix } from '../auth/token.ts';
import { followTokenFile } from '../auth/token-file.ts';
import type { Config } from '../config.ts';
import { asError } from 'trellis-contract/ground';
import { type Contract, loadContract, normalized, PAGES, scopesOf, unlistedNumbers } from 'trellis-contract';
import { createApp } from '../http/app.ts';
import { MAX } from '../http/bounds.ts';
import { connectionsAllowed } from '../http/open-files.ts';
import { listen } from '../http/server.ts';
import { createAdmin } from '../observability/admin.ts';
import type { Log } from '../observability/log.ts';
import { askOneAtATime, tellPresence, watchReadiness } from '../observability/readiness.ts';
import { createDocs } from '../pages/docs.ts';
import { layoutOf } from '../storage/layout.ts';
import { openStore } from '../storage/open.ts';
import type { Store } from '../storage/store.ts';
import type { StoreUnavailable } from '../storage/store-errors.ts';
import { reachable } from './reachable.ts';
import type { Job } from '../terminal/io.ts';
import { openResources } from './resources.ts';
import { buildOf } from './build.ts';

/** The time that open requests have once the instance is to stop. */
const GRACE_MS = 5000;

export interface Running {
  readonly contract: Contract;
  readonly store: Store;
  /** The public address, without a slash at its end. */
  readonly url: string;
  /** Whether clients get their tokens elsewhere: from TOKEN_FILE or JWT_ISSUER. */
  readonly hasIssuer: boolean;
  readonly onUnreachable: (error: StoreUnavailable) => void;
  /** Resolves when the store is open and migrated. */
  readonly ready: Promise<void>;
}

/**
 * Opens a service part by part.
 *
 * @param stack closes the parts in the reverse order
 * @returns undefined if `stopSignal` was aborted before it listened
 */
export async function openInstance(
  { service, config }: Pick<Job, 'service' | 'config'>,
  log: Log,
  stopSignal: AbortSignal,
  stack: AsyncDisposableStack,
): Promise<Running | undefined> {
  const { logger } = log;
  const isStopping = () => stopSignal.aborted;
  const stopRequested = once(stopSignal, 'abort');
  const contract = await loadContract(service.contract, service.errorBody);
  const unlisted = unlistedNumbers(contract.document);
  if (unlisted.length > 0)
    logger.warn({ unlisted }, 'x-error-numbers of the contract lacks numbers that the service may answer: add them');
  const { connections, openFiles } = connectionsAllowed();
  if (openFiles !== undefined)
    logger.warn({ connections, openFiles }, 'the limit of open files allows fewer connections than the service takes');

  const unreachable = Promise.withResolvers<undefined>();
  const presence = tellPresence(logger);
  const onUnreachable = (error: StoreUnavailable) => {
    // The store retries every second, and each try calls this.
    presence.away(error, true);
    unreachable.resolve(undefined);
  };
  // Without an admin listener, prom-client need not be loaded.
  const metrics =
    config.ADMIN_PORT === undefined
      ? undefined
      : (await import('../observability/metrics.ts')).metricsOf(
          service,
          contract,
          config.DATABASE_URL,
          log,
          buildOf(service),
        );
  const store = await openStore(layoutOf(service), config.DATABASE_URL, {
    create: true,
    onUnreachable,
    onSpread: (tables) => logger.info({ tables }, 'tables are spread over the workers of Citus'),
    observer: metrics,
  });
  stack.defer(() => store.close());
  metrics?.watch(store);
  // Waits for a store that is reachable, so that the first request finds it open.
  await Promise.race([store.opened, unreachable.promise, stopRequested]);
  if (isStopping()) return undefined;

  const scopes = scopesOf(contract);
  const { TOKEN_FILE } = config;
  const provisioned = TOKEN_FILE && { tokens: TOKEN_FILE.tokens, scopes };
  const jwt = await createVerifier(config, log);
  stack.defer(() => jwt?.keys.close());
  if (jwt !== undefined) metrics?.watchKeys(jwt.keys);
  const authenticator = new Authenticator(store.tokens, provisioned, jwt);
  const provision = (tokens: readonly string[]) => authenticator.provision(tokens);
  if (TOKEN_FILE !== undefined) {
    const state = { isUsable: true };
    void followTokenFile(TOKEN_FILE, provision, logger, stopSignal, state);
    metrics?.watchTokenFile(state);
  }

  const basePath = normalized(config.BASE_URL?.pathname.replace(/\/$/, '') ?? '');
  const shared = await openResources({ service, config }, { store, log: logger, stopSignal, stack });
  if (isStopping()) return undefined;

  const app = createApp({
    contract,
    operations: service.operations,
    shared,
    authenticator,
    log,
    observer: metrics,
    basePath,
    pages: createDocs({
      contract,
      name: service.name,
      tokenPrefix: tokenPrefix(service.name),
      basePath,
      https: config.BASE_URL?.protocol === 'https:',
    }),
    rateLimit: config.RATE_LIMIT,
    corsOrigins: config.CORS_ORIGINS,
    corsHeaders: config.CORS_HEADERS,
    proxies: config.TRUST_PROXY,
  });
  const askStore = askOneAtATime(() => store.ready());
  const ready = async () => {
    if (isStopping()) throw new Error('the service is stopping');
    try {
      await askStore();
      presence.back();
    } catch (error) {
      if (!isStopping()) presence.away(asError(error));
      throw error;
    }
    // An instance that had the keys once stays ready: an outage of the provider must not take all instances out.
    if (jwt?.keys.age === Infinity) throw new Error('the keys of the token issuer were never fetched');
  };
  if (metrics !== undefined && config.ADMIN_PORT !== undefined) {
    const admin = await listen(createAdmin({ ready, metrics }, logger), config.ADMIN_HOST, config.ADMIN_PORT, logger, {
      connections: MAX.adminConnections,
    });
    stack.defer(() => admin.stop(0));
    logger.info({ url: admin.url }, 'admin listening');
  }
  void watchReadiness(ready, metrics?.onReadiness, stopSignal);
  const listener = await listen(app, config.HOST, config.PORT, logger, {
    onUnreadable: metrics?.onUnreadable,
    onCutOff: metrics?.onCutOff,
    connections,
    idleMs: config.IDLE_TIMEOUT,
  });
  stack.defer(() => listener.stop(GRACE_MS));
  metrics?.watchConnections(listener.connections);
  const url = config.BASE_URL?.href.replace(/\/$/, '') ?? reachable(listener.url);
  logger.info({ url, listening: listener.url, docs: url + PAGES.docs }, 'listening');
  const migrated = store.opened.then(({ before, now, steps }) => {
    if (steps.length > 0) logger.info({ from: before, to: now, steps }, 'migrated the schema of the store');
  });
  // The caller awaits it later, and then learns of a failure.
  migrated.catch(() => undefined);
  const hasIssuer = provisioned !== undefined || jwt !== undefined;
  return { contract, store, url, hasIssuer, onUnreachable, ready: migrated };
}

async function createVerifier({ JWT_ISSUER, JWT_AUDIENCE, JWT_SCOPE = [], JWKS_URL }: Config, { logger }: Log) {
  if (JWT_ISSUER === undefined || JWT_AUDIENCE === undefined) return undefined;
  // Loading jose takes time, so other starts do not load it.
  const { JwtVerifier } = await import('../auth/jwt.ts');
  const settings = { issuer: JWT_ISSUER, audience: JWT_AUDIENCE, scopes: JWT_SCOPE, jwksUrl: JWKS_URL };
  return new JwtVerifier(settings, logger);
}
