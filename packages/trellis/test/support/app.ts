import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { createApp } from '../../src/http/app.ts';
import { Authenticator } from '../../src/auth/authenticator.ts';
import type { IssuerSettings } from '../../src/auth/issuer.ts';
import type { PACE } from '../../src/auth/issuer-keys.ts';
import { JwtVerifier } from '../../src/auth/jwt.ts';
import { hashToken, makeToken, tokenPrefix } from '../../src/auth/token.ts';
import type { Proxies } from '../../src/http/client-address.ts';
import { scopesOf } from '../../../contract/src/contract.ts';
import { loadContract } from '../../../contract/src/load.ts';
import type { Contract } from '../../../contract/src/message/operation.ts';
import { describeError } from '../../src/observability/log.ts';
import { createDocs } from '../../src/pages/docs.ts';
import { type AnyService, type Handler, sharedBy } from '../../src/service.ts';
import { layoutOf } from '../../src/storage/layout.ts';
import type { RateLimit } from '../../src/http/rate-limit.ts';
import { listen } from '../../src/http/server.ts';
import { openStore, type StoreLocation } from '../../src/storage/open.ts';
import type { AnyRow } from '../../src/storage/engine.ts';
import type { Creation } from '../../src/storage/queries.ts';
import type { Store } from '../../src/storage/store.ts';
import { items } from '../services/items/index.ts';
import { atEnd, temporaryFolder } from '../../../contract/test/support/temporary.ts';
import { until } from './until.ts';

/** The contract of the service of most tests. */
export const YAML = readFileSync(items.contract, 'utf8');

type Line = Record<string, unknown>;

export interface TestApp {
  readonly url: string;
  readonly token: string;
  readonly store: Store;
  /** The path of the SQLite file. */
  readonly database: string;
  /** The lines of the log so far. */
  readonly log: Line[];
  /** Waits for the log line of a request, given its id or its response: the service logs it after the response. */
  readonly lineOf: (request: string | Response) => Promise<Line>;
  /** All rows of the table of records. */
  readonly stored: () => Promise<AnyRow[]>;
}

interface TestAppOptions {
  /** The service; by default, `items`. */
  readonly service?: AnyService;
  /** Replaces the contract of the service. */
  readonly yaml?: string;
  /** Replace the operations of the service. */
  readonly operations?: Readonly<Record<string, Handler>>;
  readonly basePath?: string;
  readonly https?: boolean;
  readonly rateLimit?: RateLimit;
  readonly corsOrigins?: readonly string[];
  readonly corsHeaders?: readonly string[];
  readonly proxies?: Proxies;
  readonly issuer?: IssuerSettings;
  readonly pace?: typeof PACE;
  readonly now?: () => Date;
  /** By default, a new SQLite file. */
  readonly location?: StoreLocation;
  /** An app whose store and token this one shares: to open a store takes nine tenths of a start. */
  readonly beside?: Pick<TestApp, 'store' | 'token' | 'database'> | undefined;
}

const listeners: (() => Promise<void>)[] = [];
const stores: (() => Promise<void>)[] = [];
atEnd(async () => {
  for (const closers of [listeners, stores]) await Promise.all(closers.splice(0).map((close) => close()));
});

/** Starts the service in this process, on a real database and port, so that a test can pass its own operations. */
export async function startApp(options: TestAppOptions = {}): Promise<TestApp> {
  const service: AnyService = options.service ?? items;
  const contract = await loadContract(options.yaml ?? service.contract, service.errorBody);
  const { store, token, database } = options.beside ?? (await openFor(service, contract, options.location));
  const log: Line[] = [];
  const logger = pino(
    { base: null, serializers: { err: describeError } },
    { write: (line: string) => log.push(JSON.parse(line) as Line) },
  );
  const jwt = options.issuer && new JwtVerifier(options.issuer, logger, options.pace);
  const shown = {
    contract,
    name: service.name,
    tokenPrefix: tokenPrefix(service.name),
    basePath: options.basePath ?? '',
    https: options.https ?? false,
  };
  const app = createApp({
    contract,
    operations: options.operations ?? service.operations,
    shared: { ...sharedBy(store, {}, options.now), resources: undefined },
    authenticator: new Authenticator(store.tokens, undefined, jwt),
    log: {
      logger,
      request: (line) => {
        logger.info(line, 'request');
      },
    },
    basePath: shown.basePath,
    pages: createDocs(shown),
    rateLimit: options.rateLimit,
    corsOrigins: options.corsOrigins,
    corsHeaders: options.corsHeaders,
    proxies: options.proxies,
  });
  const listener = await listen(app, '127.0.0.1', 0, logger);
  listeners.push(async () => {
    await listener.stop(1000);
    jwt?.keys.close();
  });
  const lineOf = (request: string | Response) => {
    const id = typeof request === 'string' ? request : request.headers.get('x-request-id');
    return until(() => log.find(({ requestId }) => requestId === id));
  };
  return {
    url: listener.url,
    token,
    store,
    database,
    log,
    lineOf,
    stored: () => allRows(store, tableOf(store)),
  };
}

async function openFor(service: AnyService, contract: Contract, given?: StoreLocation) {
  const database = join(temporaryFolder(), 'store.db');
  const store = await openStore(layoutOf(service), given ?? { engine: 'sqlite', path: database }, { create: true });
  stores.push(() => store.close());
  const token = makeToken(service.name);
  await store.tokens.add({ name: 'tests', hash: hashToken(token), scopes: scopesOf(contract) });
  return { store, token, database };
}

/** The first table of the service. */
export function tableOf({ layout }: Pick<Store, 'layout'>): string {
  const [table = ''] = layout.counted;
  return table;
}

/** Creates rows together, and returns their outcomes. */
export function createEach(
  { create }: { readonly create: (table: string, row: AnyRow) => Promise<Creation> },
  table: string,
  rows: readonly AnyRow[],
): Promise<readonly Creation[]> {
  return Promise.all(rows.map((row) => create(table, row)));
}

export async function allRows(store: Store, table: string): Promise<AnyRow[]> {
  return (await Array.fromAsync(store.list(table))).flat();
}

/** Runs SQL that no operation can run. */
export async function runSql(store: Store, sql: string): Promise<readonly AnyRow[]> {
  return (await store.run({ sql, values: [], writes: true })).rows;
}

export async function addToken(
  { store, url }: TestApp,
  name: string,
  scopes: readonly string[] = [],
): Promise<{ url: string; token: string }> {
  const token = makeToken(store.layout.name);
  await store.tokens.add({ name, hash: hashToken(token), scopes });
  return { url, token };
}
