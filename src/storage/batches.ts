import { type Outcome, type StoreObserver, StoreUnavailable } from './store.ts';

/** How a kind of items is written. */
export interface Writer<Item, Result> {
  /**
   * Writes a batch, by the time given on the clock of `performance.now()` if it can keep to one.
   *
   * @returns an outcome for each item, in order; or rejects for all
   */
  write(items: readonly Item[], until: number): Promise<readonly Outcome<Result>[]>;
  /** About how many bytes an item takes while it waits. */
  weigh(item: Item): number;
  /** How many batches may be under way at once. */
  readonly atOnce: number;
}

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly bytes: number;
  readonly until: number;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The most items that are written together: what bounds the wait of the last one. */
const MOST_TOGETHER = 1024;
/** The most items that may wait, and the most bytes of them: what comes beyond is turned away, before memory is. */
export const MOST_WAITING = 10_000;
export const MOST_BYTES = 16 * 1024 * 1024;
/** How long an item may wait and be written, in milliseconds. */
export const PATIENCE_MS = 5000;

/**
 * Natural group commit: while one batch is written, whatever comes waits, and goes into the next one. So one fsync
 * serves few when few come, and many when many come, and nobody waits for a timer.
 */
export class Batches<Item, Result> {
  private readonly writer: Writer<Item, Result>;
  private readonly observer: Pick<StoreObserver, 'written'> | undefined;
  private waiting: Waiting<Item, Result>[] = [];
  private bytes = 0;
  /** How many batches are under way, and what ends when they do. */
  private underWay = 0;
  private readonly writing = new Set<Promise<void>>();

  constructor(writer: Writer<Item, Result>, observer?: Pick<StoreObserver, 'written'>) {
    this.writer = writer;
    this.observer = observer;
  }

  /** How many items wait, without those that are being written. */
  get length(): number {
    return this.waiting.length;
  }

  /** @throws StoreUnavailable at once if too much waits, or when it has waited too long */
  add(item: Item): Promise<Result> {
    if (this.waiting.length >= MOST_WAITING || this.bytes >= MOST_BYTES)
      return Promise.reject(new StoreUnavailable('too many plants wait to be stored'));
    return new Promise((resolve, reject) => {
      const bytes = this.writer.weigh(item);
      this.bytes += bytes;
      this.waiting.push({ item, bytes, until: performance.now() + PATIENCE_MS, resolve, reject });
      if (this.underWay < this.writer.atOnce) this.begin();
    });
  }

  /** Resolves when nothing waits and nothing is being written. */
  async idle(): Promise<void> {
    await Promise.all(this.writing);
  }

  private begin(): void {
    this.underWay++;
    const writing = this.writeAll().finally(() => this.writing.delete(writing));
    this.writing.add(writing);
  }

  private async writeAll(): Promise<void> {
    for (let batch = this.next(); batch.length > 0; batch = this.next()) {
      try {
        const outcomes = await this.write(batch);
        batch.forEach(({ resolve, reject }, index) => {
          const outcome = outcomes[index];
          if (outcome === undefined) reject(new Error('the engine did not answer for a plant'));
          else if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.result);
        });
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    // At once, so that what comes next begins a batch.
    this.underWay--;
  }

  private async write(batch: readonly Waiting<Item, Result>[]): Promise<readonly Outcome<Result>[]> {
    const begun = performance.now();
    const [first] = batch;
    const items = batch.map(({ item }) => item);
    try {
      return await this.writer.write(items, first?.until ?? 0);
    } finally {
      this.observer?.written(items.length, performance.now() - begun);
    }
  }

  /** Takes the next batch out of what waits, and turns away what has waited too long. */
  private next(): readonly Waiting<Item, Result>[] {
    for (;;) {
      const batch = this.waiting.splice(0, MOST_TOGETHER);
      for (const { bytes } of batch) this.bytes -= bytes;
      const now = performance.now();
      const inTime = batch.filter(({ until }) => until > now);
      if (inTime.length === batch.length) return batch;
      for (const { until, reject } of batch) {
        if (until <= now) reject(new StoreUnavailable('the plant has waited too long to be stored'));
      }
      if (inTime.length > 0) return inTime;
    }
  }
}
