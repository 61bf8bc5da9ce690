import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Contract } from '../contract/contract.ts';
import { ErrorNumber, type Refusal, statusOf } from '../contract/errors.ts';
import { listedNumbers } from '../contract/failures.ts';
import { REASONS } from '../http/bounds.ts';
import type { OnCutOff } from '../http/ledger.ts';
import type { ListenOptions } from '../http/server.ts';
import type { AnyService } from '../service.ts';
import type { StoreLocation } from '../storage/open.ts';
import { type Creation, type Store, type StoreObserver, StoreUnavailable } from '../storage/store.ts';
import type { RequestObserver } from '../http/recorder.ts';
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

/** The metrics of the process, which all instances in it show: prom-client observes the event loop for each that it makes. */
function metricsOfProcess(): Registry {
  if (ofProcess !== undefined) return ofProcess;
  ofProcess = new Registry();
  collectDefaultMetrics({ register: ofProcess });
  for (const { name } of ofProcess.getMetricsAsArray()) if (UNWANTED.test(name)) ofProcess.removeSingleMetric(name);
  return ofProcess;
}

/** The metrics of an instance. */
export class Metrics implements RequestObserver, StoreObserver, ListenOptions {
  private readonly registry = Registry.merge([metricsOfProcess()]);
  readonly contentType = this.registry.contentType;
  private readonly prefix: string;
  private readonly tables: readonly string[];
  private readonly numbers: ReadonlySet<string>;
  private readonly series: ReturnType<typeof seriesOf>;

  constructor(
    { name, tables, records }: AnyService,
    { operations, document }: Pick<Contract, 'operations' | 'document'>,
    { engine }: Pick<StoreLocation, 'engine'>,
    log: Pick<Log, 'dropped'>,
    build: Readonly<Record<'version' | 'schema' | 'commit', string | number>>,
  ) {
    const prefix = name.replaceAll('-', '_');
    this.prefix = prefix;
    this.tables = Object.keys(records);
    this.numbers = new Set([...Object.values(ErrorNumber).map(String), ...Object.keys(listedNumbers(document) ?? {})]);
    this.series = seriesOf(prefix, [this.registry]);
    // Prometheus computes increases from the second sample on, so each counter must begin with 0.
    for (const { id, replies } of operations) {
      const statuses = [...replies.keys(), '500', '503'].filter((status) => /^\d+$/.test(status));
      this.initialiseAtZero(id, statuses);
    }
    this.initialiseAtZero(NONE, Object.values(ErrorNumber).map(statusOf));
    for (const reason of Object.keys(REASONS)) this.series.cutOffs.inc({ reason }, 0);
    const creations = { created: 0, replayed: 0, conflict: 0 } satisfies Record<Creation, number>;
    for (const table of Object.keys(tables))
      for (const [outcome, zero] of Object.entries(creations)) this.series.creations.inc({ table, outcome }, zero);
    for (const kind of ['unavailable', 'failed']) this.series.storeErrors.inc({ kind }, 0);

    const labels = { ...build, node_version: process.versions.node, engine };
    new Gauge({
      registers: [this.registry],
      name: `${prefix}_build_info`,
      help: 'Always 1, with the versions of the service, its schema and Node, its commit, and the engine of the store.',
      labelNames: Object.keys(labels),
    }).set(labels, 1);
    this.derive(Counter, 'log_lines_dropped_total', 'Log lines that stdout did not accept.', () => log.dropped());
  }

  watch(store: Store): void {
    for (const { name, help, value } of store.gauges) this.derive(Gauge, name, help, latest(value));
    for (const table of this.tables) this.watchTable(store, table);
  }

  private watchTable(store: Store, table: string): void {
    const name = `${this.prefix}_${table}`;
    if (this.registry.getSingleMetric(name) !== undefined)
      throw new Error(`the table ${table} would have the metric ${name}, which exists: choose another name`);
    const count = latest(
      () => store.count(table),
      (ms) => Math.max(MIN_REST_MS, ms / COUNTING_SHARE),
    );
    this.derive(Gauge, table, `Rows of ${table} at the last count; NaN if unknown.`, count);
  }

  watchConnections(open: () => number): void {
    this.derive(Gauge, 'connections_open', 'Open connections of clients.', open);
  }

  readonly onReadiness = (ready: boolean): void => this.series.readiness.set(ready ? 1 : 0);

  watchKeys(keys: { readonly age: number; readonly failures: number }): void {
    const age = 'Time since the keys of the token issuer were fetched; +Inf if never.';
    this.derive(Gauge, 'issuer_keys_age_seconds', age, () => keys.age / 1000);
    const failures = 'Failed fetches of the keys of the token issuer.';
    this.derive(Counter, 'issuer_keys_failures_total', failures, () => keys.failures);
  }

  watchTokenFile(state: { readonly isUsable: boolean }): void {
    const help = 'Whether TOKEN_FILE could be used when it was last read: 1 or 0.';
    this.derive(Gauge, 'token_file_usable', help, () => Number(state.isUsable));
  }

  /** Makes a series whose value is computed when Prometheus asks. */
  private derive(Kind: SeriesClass, name: string, help: string, value: () => number | Promise<number>): void {
    new Kind({
      registers: [this.registry],
      name: `${this.prefix}_${name}`,
      help,
      async collect() {
        const now = await value();
        this.reset();
        this.inc(now);
      },
    });
  }

  text(): Promise<string> {
    return this.registry.metrics();
  }

  begun(): void {
    this.series.requestsUnderWay.inc();
  }

  ended(operation: string = NONE, status: number | typeof NONE = NONE, ms: number, error?: number): void {
    this.series.requestsUnderWay.dec();
    this.series.requests.inc({ operation, status });
    this.series.requestDurations.observe({ operation }, ms / 1000);
    if (error !== undefined) this.countError(operation, String(error));
  }

  /** Counts requests that Node's parser rejected. */
  readonly onUnreadable = ({ status, number }: Refusal): void => {
    this.series.requests.inc({ operation: NONE, status });
    this.countError(NONE, String(number));
  };

  readonly onCutOff: OnCutOff = (reason) => this.series.cutOffs.inc({ reason });

  answered(outcome: Creation, table: string): void {
    this.series.creations.inc({ table, outcome });
  }

  failed(error: unknown): void {
    this.series.storeErrors.inc({ kind: error instanceof StoreUnavailable ? 'unavailable' : 'failed' });
  }

  written(rows: number, ms: number): void {
    this.series.batchSizes.observe(rows);
    this.series.commitDurations.observe(ms / 1000);
  }

  private countError(operation: string, error: string): void {
    this.series.errors.inc({ operation, error: this.numbers.has(error) ? error : OTHER });
  }

  private initialiseAtZero(operation: string, statuses: readonly (string | number)[]): void {
    this.series.requestDurations.zero({ operation });
    for (const error of SERIOUS) this.series.errors.inc({ operation, error }, 0);
    for (const status of statuses) this.series.requests.inc({ operation, status }, 0);
  }
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
