import packageJson from '../../package.json' with { type: 'json' };
import { collectDefaultMetrics, Counter, Gauge, Registry } from 'prom-client';
import type { Contract } from '../contract/contract.ts';
import type { Log } from './log.ts';
import type { StoreLocation } from '../storage/open.ts';
import { RequestMetrics } from './request-metrics.ts';
import { StoreMetrics } from './store-metrics.ts';

/** Of prom-client's own: gauges with the names of counters, and two that say what `nodejs_active_resources` does. */
const UNWANTED = [
  'nodejs_active_handles',
  'nodejs_active_handles_total',
  'nodejs_active_requests',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** What Prometheus is told of this process, in a registry of its own. */
export class Metrics {
  readonly contentType = Registry.PROMETHEUS_CONTENT_TYPE;
  readonly requests: RequestMetrics;
  readonly store: StoreMetrics;
  private readonly registry = new Registry();

  constructor(contract: Contract, { engine }: StoreLocation, log: Pick<Log, 'dropped'>) {
    this.requests = new RequestMetrics(contract, this.registry);
    this.store = new StoreMetrics(this.registry);
    const labels = { version: packageJson.version, node_version: process.versions.node, engine };
    new Gauge({
      name: 'plant_store_build_info',
      help: 'Which version of the service this is, on which Node, with which kind of store; always 1.',
      labelNames: Object.keys(labels),
      registers: [this.registry],
    }).set(labels, 1);
    new Counter({
      name: 'plant_store_log_lines_dropped_total',
      help: 'Lines of the log that stdout did not take.',
      registers: [this.registry],
      collect() {
        this.reset();
        this.inc(log.dropped());
      },
    });
    collectDefaultMetrics({ register: this.registry });
    for (const name of UNWANTED) this.registry.removeSingleMetric(name);
  }

  /** Asks the store for nothing but its count of plants, and waits for that for a second at most. */
  text(): Promise<string> {
    return this.registry.metrics();
  }
}
