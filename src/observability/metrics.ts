import packageJson from '../../package.json' with { type: 'json' };
import { setTimeout as sleep } from 'node:timers/promises';
import { collectDefaultMetrics, Counter, Gauge, Histogram, register } from 'prom-client';
import type { Contract } from '../contract/contract.ts';
import { ErrorNumber, statusOf } from '../contract/errors.ts';
import { REASONS } from '../http/bounds.ts';
import type { OnCutOff } from '../http/ledger.ts';
import type { ListenOptions } from '../http/server.ts';
import { RESOURCE, SERVICE } from '../resource.ts';
import type { StoreLocation } from '../storage/open.ts';
import { type Creation, type Store, type StoreObserver, StoreUnavailable } from '../storage/store.ts';
import type { Log, RequestObserver } from './log.ts';

const PREFIX = SERVICE.replaceAll('-', '_');
/** The resource at the beginning of a sentence. */
const ITEMS = RESOURCE.many.charAt(0).toUpperCase() + RESOURCE.many.slice(1);

/** In seconds: from what a create takes on a fast disk up to what it may take, and beyond. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In items: up to what is written together at most. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Counting the items takes at most this share of the time. */
const COUNTING_SHARE = 0.01;
/** The least time between two counts, in milliseconds. */
const MIN_REST_MS = 1000;
/** For how long Prometheus waits for a count, in milliseconds; if it takes longer, Prometheus gets the one before. */
const MAX_COUNTING_MS = 1000;

/** The operation of a request outside the contract, and the status of one that got no answer. */
const NONE = 'none';

/** Metrics of prom-client: gauges with the names of counters, and two that repeat `nodejs_active_resources`. */
const UNWANTED = /^nodejs_active_(handles|requests|resources_total)/;

/** The metrics of this process for Prometheus: made once, as they live in prom-client's global registry. */
export class Metrics implements RequestObserver, StoreObserver, ListenOptions {
  readonly contentType = register.contentType;
  private readonly requests = new Counter({
    name: `${PREFIX}_http_requests_total`,
    help: 'Requests by operation and status; none: outside the contract, and no answer.',
    labelNames: ['operation', 'status'],
  });
  private readonly requestDurations = new Histogram({
    name: `${PREFIX}_http_request_duration_seconds`,
    help: 'From the head of a request until its answer is out, or its client is gone.',
    labelNames: ['operation'],
    buckets: DURATIONS,
  });
  private readonly requestsUnderWay = new Gauge({
    name: `${PREFIX}_http_requests_in_flight`,
    help: 'Requests whose head was read, and whose answer is not out.',
  });
  private readonly cutOffs = new Counter({
    name: `${PREFIX}_connections_cut_off_total`,
    help: 'Connections that were cut off, by the bound that they met.',
    labelNames: ['reason'],
  });
  private readonly creations = new Counter({
    name: `${PREFIX}_creations_total`,
    help: `${ITEMS} that the store answered for, by what became of them.`,
    labelNames: ['outcome'],
  });
  private readonly storeErrors = new Counter({
    name: `${PREFIX}_store_errors_total`,
    help: `${ITEMS} not answered for, and tokens not looked up.`,
    labelNames: ['kind'],
  });
  private readonly batchSizes = new Histogram({
    name: `${PREFIX}_batch_${RESOURCE.many}`,
    help: `${ITEMS} that were written together, with one flush.`,
    buckets: SIZES,
  });
  private readonly commitDurations = new Histogram({
    name: `${PREFIX}_commit_duration_seconds`,
    help: 'From the moment a batch is handed to the engine until it answers, flush included, waiting before not.',
    buckets: DURATIONS,
  });

  constructor({ operations }: Contract, { engine }: StoreLocation, log: Pick<Log, 'dropped'>) {
    // Prometheus sees no increase in the first sample of a counter: each must be 0 before.
    for (const { id, replies } of operations) {
      const statuses = [...replies.keys(), '500', '503'].filter((status) => status !== 'default');
      this.initialiseAtZero(id, statuses);
    }
    this.initialiseAtZero(NONE, Object.values(ErrorNumber).map(statusOf));
    for (const reason of Object.keys(REASONS)) this.cutOffs.inc({ reason }, 0);
    const creations = { created: 0, replayed: 0, conflict: 0 } satisfies Record<Creation, number>;
    for (const [outcome, zero] of Object.entries(creations)) this.creations.inc({ outcome }, zero);
    for (const kind of ['unavailable', 'failed']) this.storeErrors.inc({ kind }, 0);

    const labels = { version: packageJson.version, node_version: process.versions.node, engine };
    new Gauge({
      name: `${PREFIX}_build_info`,
      help: 'Which version of the service this is, on which Node, with which kind of store; always 1.',
      labelNames: Object.keys(labels),
    }).set(labels, 1);
    new Counter({
      name: `${PREFIX}_log_lines_dropped_total`,
      help: 'Lines of the log that stdout did not take.',
      collect() {
        this.reset();
        this.inc(log.dropped());
      },
    });
    collectDefaultMetrics();
    for (const { name } of register.getMetricsAsArray()) if (UNWANTED.test(name)) register.removeSingleMetric(name);
  }

  /** Registers gauges for the stored and the waiting items. */
  watch(store: Store): void {
    new Gauge({
      name: `${PREFIX}_waiting_${RESOURCE.many}`,
      help: `${ITEMS} that wait to be written, without those that are being written.`,
      collect() {
        this.set(store.items.waiting());
      },
    });
    let [items, dueAt] = [NaN, 0];
    const count = async (): Promise<void> => {
      const begunAt = performance.now();
      if (begunAt < dueAt) return;
      dueAt = Infinity;
      items = await store.items.count().catch(() => NaN);
      const endedAt = performance.now();
      dueAt = endedAt + Math.max(MIN_REST_MS, (endedAt - begunAt) / COUNTING_SHARE);
    };
    new Gauge({
      name: `${PREFIX}_${RESOURCE.many}`,
      help: `${ITEMS} in the store, when they were last counted; NaN: not known.`,
      async collect() {
        await Promise.race([count(), sleep(MAX_COUNTING_MS, undefined, { ref: false })]);
        this.set(items);
      },
    });
  }

  /** Registers what there is to know of the keys of the token issuer. */
  watchKeys(keys: { readonly age: number; readonly failures: number }): void {
    new Gauge({
      name: `${PREFIX}_issuer_keys_age_seconds`,
      help: 'Since the keys of the token issuer were fetched; +Inf: they never were.',
      collect() {
        this.set(keys.age / 1000);
      },
    });
    new Counter({
      name: `${PREFIX}_issuer_keys_failures_total`,
      help: 'Fetches of the keys of the token issuer that failed.',
      collect() {
        this.reset();
        this.inc(keys.failures);
      },
    });
  }

  /** The text that Prometheus reads. All of it but the count of items is known without the store. */
  text(): Promise<string> {
    return register.metrics();
  }

  begun(): void {
    this.requestsUnderWay.inc();
  }

  ended(operation: string = NONE, status: number | typeof NONE = NONE, ms: number): void {
    this.requestsUnderWay.dec();
    this.requests.inc({ operation, status });
    this.requestDurations.observe({ operation }, ms / 1000);
  }

  /** Counts what Node's parser refused, which never became a request. */
  readonly onUnreadable = (status: number): void => {
    this.requests.inc({ operation: NONE, status });
  };

  readonly onCutOff: OnCutOff = (reason) => {
    this.cutOffs.inc({ reason });
  };

  answered(outcome: Creation): void {
    this.creations.inc({ outcome });
  }

  failed(error: unknown): void {
    this.storeErrors.inc({ kind: error instanceof StoreUnavailable ? 'unavailable' : 'failed' });
  }

  written(items: number, ms: number): void {
    this.batchSizes.observe(items);
    this.commitDurations.observe(ms / 1000);
  }

  private initialiseAtZero(operation: string, statuses: readonly (string | number)[]): void {
    this.requestDurations.zero({ operation });
    for (const status of statuses) this.requests.inc({ operation, status }, 0);
  }
}
