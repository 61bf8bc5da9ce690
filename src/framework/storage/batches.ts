import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { type Creation, type NewRow, type Outcome, type StoreObserver, StoreUnavailable } from './store.ts';
import { sizeOf } from './values.ts';

/**
 * Stores a batch and returns the outcomes in the order of the rows, or rejects for all of them.
 *
 * @param until the deadline on the clock of `performance.now()`; SQLite ignores it, as it waits only for its lock
 */
type Write = (rows: readonly NewRow[], until: number) => Promise<readonly Outcome[]>;

interface Waiting {
  readonly row: NewRow;
  readonly bytes: number;
  readonly until: number;
  readonly resolve: (creation: Creation) => void;
  readonly reject: (error: Error) => void;
}

interface Pace {
  /** Limits the time that a batch takes. */
  readonly maxRows: number;
  /** After each batch. */
  readonly pauseMs: number;
}

const AT_ONCE: Pace = { maxRows: 1024, pauseMs: 0 };
/** The store rejects further rows, so that a slow disk does not fill the memory. */
export const MAX_WAITING_ROWS = 10_000;
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** The time limit of one call to the store. */
export const STORE_PATIENCE_MS = 5000;

/**
 * Natural group commit: the rows that arrive while a batch is written form the next batch. So one fsync serves few
 * rows at low load and many at high load, and no row waits for a timer.
 */
export class Batches {
  private readonly write: Write;
  private readonly maxActive: number;
  private readonly observer: StoreObserver | undefined;
  private readonly pace: Pace;
  private waiting: Waiting[] = [];
  private bytes = 0;
  private active = 0;
  /** A row of the last batch that ended, if the store could not write it. */
  private failed: NewRow | undefined;
  private readonly loops = new Set<Promise<void>>();

  constructor(write: Write, maxActive: number, observer: StoreObserver | undefined, pace = AT_ONCE) {
    this.write = write;
    this.maxActive = maxActive;
    this.observer = observer;
    this.pace = pace;
  }

  get length(): number {
    return this.waiting.length;
  }

  /** @throws StoreUnavailable at once if the queue is full, or later if the row has waited too long */
  add(row: NewRow): Promise<Creation> {
    return new Promise((resolve, reject) => {
      const bytes = Object.values(row.row).reduce<number>((sum, value) => sum + sizeOf(value), 64);
      const waiting = { row, bytes, until: performance.now() + STORE_PATIENCE_MS, resolve, reject };
      if (this.waiting.length >= MAX_WAITING_ROWS || this.bytes >= MAX_WAITING_BYTES) {
        this.settle(waiting, new StoreUnavailable('too many rows wait to be stored'));
        return;
      }
      this.bytes += bytes;
      this.waiting.push(waiting);
      if (this.active < this.maxActive) this.begin();
    });
  }

  /**
   * Asks whether the store can write, also the row of a batch that failed. A yes ends that failure, as a batch that
   * succeeds does: a balancer that sends nothing while an instance is not ready would never let a batch succeed.
   */
  async ask(canWrite: (failed: readonly NewRow[]) => Promise<void>): Promise<void> {
    const { failed } = this;
    await canWrite(failed === undefined ? [] : [failed]);
    if (this.failed === failed) this.failed = undefined;
  }

  async idle(): Promise<void> {
    await Promise.all(this.loops);
  }

  private begin(): void {
    this.active++;
    const loop = this.writeAll().finally(() => this.loops.delete(loop));
    this.loops.add(loop);
  }

  private async writeAll(): Promise<void> {
    for (;;) {
      // Node now processes the requests that have arrived, whose rows join this batch.
      await setImmediate();
      const batch = this.next();
      if (batch.length === 0) break;
      const outcomes = await this.writeBatch(batch);
      batch.forEach((waiting, index) => {
        this.settle(waiting, outcomes[index] ?? new Error('the engine gave no outcome for a row'));
      });
      if (this.pace.pauseMs > 0) await sleep(this.pace.pauseMs);
    }
    // No `await` may precede this after next(), as the next row must start a new loop.
    this.active--;
  }

  private async writeBatch(batch: readonly Waiting[]): Promise<readonly Outcome[]> {
    const begun = performance.now();
    const rows = batch.map(({ row }) => row);
    try {
      const outcomes = await this.write(rows, batch[0]?.until ?? 0);
      this.failed = rows.find((_row, index) => outcomes[index] instanceof StoreUnavailable);
      return outcomes;
    } catch (error) {
      this.failed = rows[0];
      return batch.map(() => error as Error);
    } finally {
      this.observer?.written(rows.length, performance.now() - begun);
    }
  }

  /** Takes the next batch from the queue, and rejects the rows that have waited too long. */
  private next(): readonly Waiting[] {
    for (;;) {
      const batch = this.waiting.splice(0, this.pace.maxRows);
      const now = performance.now();
      for (const waiting of batch) {
        this.bytes -= waiting.bytes;
        if (waiting.until > now) continue;
        this.settle(waiting, new StoreUnavailable('the row has waited too long to be stored'));
      }
      const inTime = batch.filter(({ until }) => until > now);
      if (inTime.length > 0 || batch.length === 0) return inTime;
    }
  }

  private settle({ row, resolve, reject }: Waiting, outcome: Outcome): void {
    if (typeof outcome === 'string') {
      this.observer?.answered(outcome, row.table);
      resolve(outcome);
    } else {
      this.observer?.failed(outcome);
      reject(outcome);
    }
  }
}
