import { MAX_WAITING } from './queue.ts';
import { StoreUnavailable } from './store.ts';

interface Turn {
  readonly until: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** Limits how much work is done at the same time; further work waits in the order in which it came. */
export class Turns {
  private readonly maxWaitMs: number;
  private readonly waiting: Turn[] = [];
  private readonly maxActive: number;
  private active = 0;

  constructor(maxActive: number, maxWaitMs: number) {
    this.maxActive = maxActive;
    this.maxWaitMs = maxWaitMs;
  }

  /** Whether further work would wait. */
  get areTaken(): boolean {
    return this.active >= this.maxActive;
  }

  /** How much work waits. */
  get length(): number {
    return this.waiting.length;
  }

  /** @throws StoreUnavailable at once if too much work waits, or at its turn if it has waited too long */
  async run<T>(work: () => Promise<T>): Promise<T> {
    // Makes no promise if a turn is free, as every request comes here.
    if (!this.areTaken) this.active++;
    else if (this.length >= MAX_WAITING) throw new StoreUnavailable('too many requests wait for the store');
    else await this.next(this.maxWaitMs);
    try {
      return await work();
    } finally {
      this.pass();
    }
  }

  private next(maxWaitMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ until: performance.now() + maxWaitMs, resolve, reject });
    });
  }

  private pass(): void {
    const now = performance.now();
    for (let next = this.waiting.shift(); next !== undefined; next = this.waiting.shift()) {
      if (next.until > now) {
        next.resolve();
        return;
      }
      next.reject(new StoreUnavailable('the request has waited too long for the store'));
    }
    this.active--;
  }
}
