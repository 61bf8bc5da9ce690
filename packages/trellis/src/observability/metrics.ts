import { totalmem } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { getHeapStatistics } from 'node:v8';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import { type Contract, listedNumbers } from 'trellis-contract';
import { ErrorNumber, type Refusal, statusOf } from 'trellis-contract/ground';
import { REASONS } from '../http/bounds.ts';
import type { AnyService } from '../service.ts';
import type { StoreLocation } from '../storage/open.ts';
import type { Creation } from '../storage/queries.ts';
import type { Store } from '../storage/store.ts';
import { StoreUnavailable } from '../storage/store-errors.ts';
import type { Log } from './log.ts';
import { seriesOf } from './series.ts';

/** The share of the time that counting the records may take. */
const COUNTING_SHARE = 0.01;
const MIN_REST_MS = 1000;
/** After this time, Prometheus gets the previous count. */
const MAX_COUNTING_MS = 1000;

/** The operation of a request outside the contract, and the status of a request without an answer. */
const NONE = 'none';
/** A number that the contract does not list: Prometheus keeps each value of a label for good. */
const OTHER = 'other';

/** The failures that begin at zero: all numbers of all operations would be thousands of series. */
const SERIOUS = [ErrorNumber.serviceFailed, ErrorNumber.storeUnavailable];

/** Gauges of prom-client that have names of counters, or repeat `nodejs_active_resources`. */
const UNWANTED = /^nodejs_active_(handles|requests|resources_total)/;

let ofProcess: Registry | undefined;

/** The metrics of the process, which its instances share: prom-client would observe the event loop for each of them. */
function metricsOfProcess(): Registry {
  if (ofProcess !== undefined) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const { name } of ofProcess.getMetricsAsArray()) if (UNWANTED.test(name)) ofProcess.removeSingleMetric(name);
  return ofProcess;
}

/** The metrics of an instance: it observes requests, the store, and the bytes that are no request. */
export function metricsOf(
  { name: service, tables, records }: AnyService,
  { operations, document }: Pick<Contract, 'operations' | 'document'>,
  { engine }: Pick<StoreLocation, 'engine'>,
  log: Pick<Log, 'dropped'>,
  build: Readonly<Record<'version' | 'schema' | 'commit', string | number>>,
) {
  const prefix = service.replaceAll('-', '_');
  const registry = Registry.merge([metricsOfProcess()]);
  const registers = [registry];
  const numbers = new Set([...Object.values(ErrorNumber).map(String), ...Object.keys(listedNumbers(document) ?? {})]);
  const series = seriesOf(prefix, registers);
  /** Makes a series whose value is computed when Prometheus asks. */
  const derive = (Kind: SeriesClass, name: string, help: string, value: () => number | Promise<number>) =>
    new Kind({
      registers,
      name: `${prefix}_${name}`,
      help,
      async collect() {
        const now = await value();
        this.reset();
        this.inc(now);
      },
    });
  const countError = (operation: string, error: string) =>
    series.errors.inc({ operation, error: numbers.has(error) ? error : OTHER });

  // Prometheus computes increases from the second sample on, so each counter must begin with 0.
  const initialiseAtZero = (operation: string, statuses: readonly (string | number)[]) => {
    series.requestDurations.zero({ operation });
    for (const error of SERIOUS) series.errors.inc({ operation, error }, 0);
    for (const status of statuses) series.requests.inc({ operation, status }, 0);
  };
  for (const { id, replies } of operations)
    initialiseAtZero(
      id,
      [...replies.keys(), '500', '503'].filter((status) => /^\d+$/.test(status)),
    );
  initialiseAtZero(NONE, Object.values(ErrorNumber).map(statusOf));
  for (const reason of Object.keys(REASONS)) series.cutOffs.inc({ reason }, 0);
  const creations = { created: 0, replayed: 0, conflict: 0 } satisfies Record<Creation, number>;
  for (const table of Object.keys(tables))
    for (const [outcome, zero] of Object.entries(creations)) series.creations.inc({ table, outcome }, zero);
  for (const kind of ['unavailable', 'failed']) series.storeErrors.inc({ kind }, 0);

  const labels = { ...build, node_version: process.versions.node, engine };
  new Gauge({
    registers,
    name: `${prefix}_build_info`,
    help: 'Always 1, with the versions of the service, its schema and Node, its commit, and the engine of the store.',
    labelNames: Object.keys(labels),
  }).set(labels, 1);
  const limit = process.constrainedMemory();
  derive(Gauge, 'memory_limit_bytes', 'The memory that the process may have.', () =>
    limit > 0 ? Math.min(limit, totalmem()) : totalmem(),
  );
  const heap = 'The memory that the heap of V8 may have.';
  derive(Gauge, 'heap_limit_bytes', heap, () => getHeapStatistics().heap_size_limit);
  derive(Counter, 'log_lines_dropped_total', 'Log lines that stdout did not accept.', () => log.dropped());

  const watchTable = (store: Store, table: string) => {
    const name = `${prefix}_${table}`;
    if (registry.getSingleMetric(name) !== undefined)
      throw new Error(`the table ${table} would have the metric ${name}, which exists: choose another name`);
    const count = latest(
      () => store.count(table),
      (ms) => Math.max(MIN_REST_MS, ms / COUNTING_SHARE),
    );
    derive(Gauge, table, `Rows of ${table} at the last count; NaN if unknown.`, count);
  };
  return {
    contentType: registry.contentType,
    text: () => registry.metrics(),
    watch(store: Store) {
      for (const { name, help, value } of store.gauges) derive(Gauge, name, help, latest(value));
      for (const table of Object.keys(records)) watchTable(store, table);
    },
    watchConnections: (open: () => number) => derive(Gauge, 'connections_open', 'Open connections of clients.', open),
    watchKeys(keys: { readonly age: number; readonly failures: number }) {
      const age = 'Time since the keys of the token issuer were fetched; +Inf if never.';
      derive(Gauge, 'issuer_keys_age_seconds', age, () => keys.age / 1000);
      const failures = 'Failed fetches of the keys of the token issuer.';
      derive(Counter, 'issuer_keys_failures_total', failures, () => keys.failures);
    },
    watchTokenFile(state: { readonly isUsable: boolean }) {
      const help = 'Whether TOKEN_FILE could be used when it was last read: 1 or 0.';
      derive(Gauge, 'token_file_usable', help, () => Number(state.isUsable));
    },
    onReadiness: (ready: boolean) => series.readiness.set(ready ? 1 : 0),
    begun: () => series.requestsUnderWay.inc(),
    ended(operation: string = NONE, status: number | typeof NONE = NONE, ms: number, error?: number) {
      series.requestsUnderWay.dec();
      series.requests.inc({ operation, status });
      series.requestDurations.observe({ operation }, ms / 1000);
      if (error !== undefined) countError(operation, String(error));
    },
    /** Counts requests that Node's parser rejected. */
    onUnreadable: ({ status, number }: Refusal) => {
      series.requests.inc({ operation: NONE, status });
      countError(NONE, String(number));
    },
    onCutOff: (reason: keyof typeof REASONS) => series.cutOffs.inc({ reason }),
    answered: (outcome: Creation, table: string) => series.creations.inc({ table, outcome }),
    failed: (error: unknown) =>
      series.storeErrors.inc({ kind: error instanceof StoreUnavailable ? 'unavailable' : 'failed' }),
    written(rows: number, ms: number) {
      series.batchSizes.observe(rows);
      series.commitDurations.observe(ms / 1000);
    },
  };
}

/**
 * Asks a store that may hang: one question at a time.
 *
 * @param restMs how long to rest after a question that took `ms`
 * @returns a function that gives the previous answer if the next one takes too long; NaN without one
 */
function latest(ask: () => number | Promise<number>, restMs = (_ms: number) => 0): () => Promise<number> {
  let value = NaN;
  let dueAt = 0;
  const renew = async (): Promise<void> => {
    const begunAt = performance.now();
    if (begunAt < dueAt) return;
    dueAt = Infinity;
    value = await Promise.try(ask).catch(() => NaN);
    const endedAt = performance.now();
    dueAt = endedAt + restMs(endedAt - begunAt);
  };
  return async () => {
    await Promise.race([renew(), sleep(MAX_COUNTING_MS, undefined, { ref: false })]);
    return value;
  };
}

/** What Counter and Gauge have in common. */
type SeriesClass = new (series: {
  readonly registers: Registry[];
  readonly name: string;
  readonly help: string;
  collect(this: { reset(): void; inc(value: number): void }): Promise<void>;
}) => unknown;
