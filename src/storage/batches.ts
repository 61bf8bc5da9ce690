import { setImmediate } from 'node:timers/promises';
import { RESOURCE } from '../resource.ts';
import { type Creation, type Outcome, type StoreObserver, StoreUnavailable } from './store.ts';
import { COLUMNS, type Item } from './tables.ts';
import { sizeOf } from './values.ts';

/**
 * Creates items together.
 *
 * @param until when to give up, on the clock of `performance.now()`; the SQLite engine ignores it, as its only wait is
 *   the one for a lock, which has a limit of its own
 * @returns an outcome for each item, in order; or rejects for all
 */
type Write = (items: readonly Item[], until: number) => Promise<readonly Outcome[]>;

interface Waiting {
  readonly item: Item;
  /** About how many bytes it takes while it waits. */
  readonly bytes: number;
  readonly until: number;
  readonly resolve: (creation: Creation) => void;
  readonly reject: (error: Error) => void;
}

/** The most items in a batch: it bounds how long the last one waits. */
const MAX_BATCH_ITEMS = 1024;
/** The most items that may wait: the store turns more of them away, before memory is full. */
export const MAX_WAITING_ITEMS = 10_000;
/** The most bytes of items that may wait. */
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** How long an item may wait and be written, in milliseconds. */
export const STORE_PATIENCE_MS = 5000;

/**
 * Natural group commit: while one batch is written, the items that come wait, and go into the next one. So one fsync
 * serves few when few come, and many when many come, and no item waits for a timer.
 */
export class Batches {
  private readonly write: Write;
  private readonly atOnce: number;
  private readonly observer: StoreObserver | undefined;
  private waiting: Waiting[] = [];
  private bytes = 0;
  /** How many batches are under way. */
  private underWay = 0;
  /** What resolves when they end. */
  private readonly writing = new Set<Promise<void>>();

  /** @param atOnce how many batches may be under way at once */
  constructor(write: Write, atOnce: number, observer: StoreObserver | undefined) {
    this.write = write;
    this.atOnce = atOnce;
    this.observer = observer;
  }

  /** How many items wait, without those that are being written. */
  get length(): number {
    return this.waiting.length;
  }

  /** @throws StoreUnavailable at once if too many wait, or when the item has waited too long */
  add(item: Item): Promise<Creation> {
    return new Promise((resolve, reject) => {
      const bytes = COLUMNS.reduce((sum, column) => sum + sizeOf(item[column]), 64);
      const waiting = { item, bytes, until: performance.now() + STORE_PATIENCE_MS, resolve, reject };
      if (this.waiting.length >= MAX_WAITING_ITEMS || this.bytes >= MAX_WAITING_BYTES) {
        this.settle(waiting, new StoreUnavailable(`too many ${RESOURCE.many} wait to be stored`));
        return;
      }
      this.bytes += bytes;
      this.waiting.push(waiting);
      if (this.underWay < this.atOnce) this.begin();
    });
  }

  /** Resolves when no item waits or is being written. */
  async idle(): Promise<void> {
    await Promise.all(this.writing);
  }

  private begin(): void {
    this.underWay++;
    const writing = this.writeAll().finally(() => this.writing.delete(writing));
    this.writing.add(writing);
  }

  private async writeAll(): Promise<void> {
    for (;;) {
      // The requests that have arrived by now are processed first: their items make the batch larger.
      await setImmediate();
      const batch = this.next();
      if (batch.length === 0) break;
      const outcomes = await this.writeBatch(batch);
      batch.forEach((waiting, index) => {
        this.settle(waiting, outcomes[index] ?? new Error(`the engine did not answer for ${RESOURCE.withArticle}`));
      });
    }
    // At once, so that the next item begins a batch.
    this.underWay--;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<readonly Outcome[]> {
    const begun = performance.now();
    const items = batch.map(({ item }) => item);
    try {
      return await this.write(items, batch[0]?.until ?? 0);
    } catch (error) {
      return batch.map(() => error as Error);
    } finally {
      this.observer?.written(items.length, performance.now() - begun);
    }
  }

  /** Takes the next batch out of the items that wait, and turns away those that have waited too long. */
  private next(): readonly Waiting[] {
    for (;;) {
      const batch = this.waiting.splice(0, MAX_BATCH_ITEMS);
      const now = performance.now();
      for (const waiting of batch) {
        this.bytes -= waiting.bytes;
        if (waiting.until > now) continue;
        this.settle(waiting, new StoreUnavailable(`the ${RESOURCE.one} has waited too long to be stored`));
      }
      const inTime = batch.filter(({ until }) => until > now);
      if (inTime.length > 0 || batch.length === 0) return inTime;
    }
  }

  private settle({ resolve, reject }: Waiting, outcome: Outcome): void {
    if (typeof outcome === 'string') {
      this.observer?.answered(outcome);
      resolve(outcome);
    } else {
      this.observer?.failed(outcome);
      reject(outcome);
    }
  }
}
