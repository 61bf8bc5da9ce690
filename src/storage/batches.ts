import { StoreUnavailable } from './plant-store.ts';

/** What became of one item of a batch. */
export type Outcome<Result> = { readonly result: Result } | { readonly error: Error };

interface Waiting<Item, Result> {
  readonly item: Item;
  readonly resolve: (result: Result) => void;
  readonly reject: (error: unknown) => void;
}

/** The most items that are written together: what bounds the wait of the last one. */
const MOST_TOGETHER = 1024;
/** The most items that may wait: what comes beyond is turned away, before memory is. */
const MOST_WAITING = 10_000;

/**
 * Natural group commit: while one batch is written, whatever comes waits, and goes into the next one. So one fsync
 * serves few when few come, and many when many come, and nobody waits for a timer.
 */
export class Batches<Item, Result> {
  private readonly write: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>;
  private waiting: Waiting<Item, Result>[] = [];
  private writing: Promise<void> | undefined;

  /** @param write writes a batch; answers for each item, in order, or rejects for all */
  constructor(write: (items: readonly Item[]) => Promise<readonly Outcome<Result>[]>) {
    this.write = write;
  }

  /** @throws StoreUnavailable if too many wait */
  add(item: Item): Promise<Result> {
    if (this.waiting.length >= MOST_WAITING)
      return Promise.reject(new StoreUnavailable('too many plants wait to be stored'));
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.writing ??= this.writeAll();
    });
  }

  /** Resolves when nothing waits and nothing is being written. */
  async idle(): Promise<void> {
    await this.writing;
  }

  private async writeAll(): Promise<void> {
    while (this.waiting.length > 0) {
      const batch = this.waiting.splice(0, MOST_TOGETHER);
      try {
        const outcomes = await this.write(batch.map(({ item }) => item));
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
    this.writing = undefined;
  }
}
