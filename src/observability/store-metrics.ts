import { setTimeout as sleep } from 'node:timers/promises';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { type Creation, type StoreObserver, StoreUnavailable } from '../storage/store.ts';
import { DURATIONS } from './request-metrics.ts';

/** In plants: up to what is written together at most. */
const SIZES = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024];

/** Counting takes a hundredth of the time at most, and rests for so many milliseconds at least. */
const SHARE = 100;
const LEAST_REST_MS = 1000;
/** For how long Prometheus waits for it, in milliseconds; what takes longer is told the next time. */
const PATIENCE_MS = 1000;

/** What is counted of the store. */
export class StoreMetrics implements StoreObserver {
  private readonly creations: Record<Creation, number> = { created: 0, replayed: 0, conflict: 0 };
  private readonly errors = { unavailable: 0, failed: 0 };
  private readonly sizes: Histogram;
  private readonly durations: Histogram;
  private readonly registry: Registry;

  constructor(registry: Registry) {
    this.registry = registry;
    this.sizes = new Histogram({
      name: 'plant_store_batch_plants',
      help: 'Plants that were written together, with one flush.',
      buckets: SIZES,
      registers: [registry],
    });
    this.durations = new Histogram({
      name: 'plant_store_commit_duration_seconds',
      help: 'From the moment a batch is handed to the engine until it answers, flush included, waiting before not.',
      buckets: DURATIONS,
      registers: [registry],
    });
    this.counter('creations', 'Plants that the store answered for, by what became of them.', 'outcome', this.creations);
    this.counter('store_errors', 'Plants not answered for, and tokens not looked up.', 'kind', this.errors);
  }

  created(creation: Creation): void {
    this.creations[creation]++;
  }

  failed(error: unknown): void {
    this.errors[error instanceof StoreUnavailable ? 'unavailable' : 'failed']++;
  }

  written(plants: number, ms: number): void {
    this.sizes.observe(plants);
    this.durations.observe(ms / 1000);
  }

  /** @param waiting how many plants wait, asked whenever Prometheus asks */
  readWaiting(waiting: () => number): void {
    new Gauge({
      name: 'plant_store_waiting_plants',
      help: 'Plants that wait to be written, without those that are being written.',
      registers: [this.registry],
      collect() {
        this.set(waiting());
      },
    });
  }

  /** @param count counts the plants in the store, whoever put them there; the more there are, the longer it takes */
  readPlants(count: () => Promise<number>): void {
    let [plants, dueAt] = [NaN, 0];
    const recount = async (): Promise<void> => {
      const begun = performance.now();
      if (begun < dueAt) return;
      dueAt = Infinity;
      plants = await count().catch(() => NaN);
      const ended = performance.now();
      dueAt = ended + Math.max(LEAST_REST_MS, SHARE * (ended - begun));
    };
    new Gauge({
      name: 'plant_store_plants',
      help: 'Plants in the store, when they were last counted; NaN: not known.',
      registers: [this.registry],
      async collect() {
        await Promise.race([recount(), sleep(PATIENCE_MS, undefined, { ref: false })]);
        this.set(plants);
      },
    });
  }

  private counter(name: string, help: string, label: string, counts: Readonly<Record<string, number>>): void {
    new Counter({
      name: `plant_store_${name}_total`,
      help,
      labelNames: [label],
      registers: [this.registry],
      collect() {
        this.reset();
        for (const [value, count] of Object.entries(counts)) this.inc({ [label]: value }, count);
      },
    });
  }
}
