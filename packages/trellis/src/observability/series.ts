import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** In seconds, from a create on a fast disk to beyond STORE_PATIENCE_MS. */
const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
/** In writes, up to `maxItems` of storage/queue.ts. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

export function seriesOf(prefix: string, registers: Registry[]) {
  return {
    requests: new Counter({
      registers,
      name: `${prefix}_http_requests_total`,
      help: 'Requests by operation (none: outside the contract) and status (none: no answer).',
      labelNames: ['operation', 'status'],
    }),
    errors: new Counter({
      registers,
      name: `${prefix}_http_errors_total`,
      help: 'Failures by operation (none: outside the contract) and error number (other: not in the contract).',
      labelNames: ['operation', 'error'],
    }),
    requestDurations: new Histogram({
      registers,
      name: `${prefix}_http_request_duration_seconds`,
      help: 'Time from the header of a request until its answer is sent or its client is gone.',
      labelNames: ['operation'],
      buckets: DURATIONS,
    }),
    requestsUnderWay: new Gauge({
      registers,
      name: `${prefix}_http_requests_in_flight`,
      help: 'Requests whose header is read and whose answer is not yet sent.',
    }),
    cutOffs: new Counter({
      registers,
      name: `${prefix}_connections_cut_off_total`,
      help: 'Connections that the service cut off, by the limit that they exceeded.',
      labelNames: ['reason'],
    }),
    creations: new Counter({
      registers,
      name: `${prefix}_creations_total`,
      help: 'Creations that the store answered, also in transactions, by table and outcome.',
      labelNames: ['table', 'outcome'],
    }),
    storeErrors: new Counter({
      registers,
      name: `${prefix}_store_errors_total`,
      help: 'Creations, queries, transactions and look-ups of tokens that failed in the store.',
      labelNames: ['kind'],
    }),
    batchSizes: new Histogram({
      registers,
      name: `${prefix}_batch_writes`,
      help: 'Writes per batch, which share one flush.',
      buckets: SIZES,
    }),
    commitDurations: new Histogram({
      registers,
      name: `${prefix}_commit_duration_seconds`,
      help: 'Time that the engine takes to write a batch, including the flush.',
      buckets: DURATIONS,
    }),
    readiness: new Gauge({
      registers,
      name: `${prefix}_ready`,
      help: 'Whether the instance can take requests: 1 or 0, as /readyz answers, asked every 5 s.',
    }),
  };
}
