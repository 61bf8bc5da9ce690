import type { Registry } from 'prom-client';
import { Histogram } from 'prom-client';

/** In seconds: from what a create takes on a fast disk up to what it may take, and beyond. */
export const DURATIONS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What was observed under one value of the label. */
export class Distribution {
  private readonly bounds: readonly number[];
  private readonly counts: Float64Array;
  private sum = 0;

  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = new Float64Array(bounds.length + 1);
  }

  observe(value: number): void {
    let bucket = 0;
    while (value > (this.bounds[bucket] ?? Infinity)) bucket++;
    this.counts[bucket] = (this.counts[bucket] ?? 0) + 1;
    this.sum += value;
  }

  /** As Prometheus has them: each bucket with what is in those below it. */
  samples(name: string, labels: Readonly<Record<string, string>>): Sample[] {
    let count = 0;
    const buckets = [...this.counts].map((each, bucket): Sample => {
      count += each;
      const le = this.bounds[bucket] ?? '+Inf';
      return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { metricName: `${name}_sum`, labels, value: this.sum },
      { metricName: `${name}_count`, labels, value: count },
    ];
  }
}

interface Sample {
  readonly metricName: string;
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
}

export interface HistogramOptions {
  readonly name: string;
  readonly help: string;
  readonly bounds: readonly number[];
  readonly registry: Registry;
}

/**
 * A histogram with at most one label whose values are known. An observation is some 30 ns, where that of prom-client,
 * which makes a text of the labels each time, is 350: there is one for each request.
 */
export class KnownHistogram extends Histogram {
  private readonly options: HistogramOptions;
  private readonly distributions: { readonly labels: Readonly<Record<string, string>>; readonly of: Distribution }[] =
    [];

  constructor(options: HistogramOptions) {
    const { name, help, bounds, registry } = options;
    super({ name, help, buckets: [...bounds], registers: [registry] });
    this.options = options;
  }

  /** What is to be observed under these labels. */
  add(labels: Readonly<Record<string, string>> = {}): Distribution {
    const distribution = new Distribution(this.options.bounds);
    this.distributions.push({ labels, of: distribution });
    return distribution;
  }

  /** What the registry asks a histogram for, although prom-client does not declare it. */
  getForPromString(): Promise<object> {
    const { name, help } = this.options;
    const values = this.distributions.flatMap(({ labels, of }) => of.samples(name, labels));
    return Promise.resolve({ name, help, type: 'histogram', values });
  }
}
