import { STORE_PATIENCE_MS } from './batches.ts';
import { StoreUnavailable } from './store.ts';

/** Leaves the other half of the time limit for the work itself. */
const MAX_WAIT_MS = STORE_PATIENCE_MS / 2;

/** Limits how much work is done at the same time; further work waits in the order in which it came. */
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  async take<T>(work: () => Promise<T>, maxWaitMs = MAX_WAIT_MS): Promise<T> {
    const until = performance.now() + maxWaitMs;
    if (this.free > 0) this.free--;
    else await new Promise<void>((resolve) => this.waiting.push(resolve));
    try {
      if (performance.now() > until) throw new StoreUnavailable('too many queries are under way');
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next === undefined) this.free++;
      else next();
    }
  }
}
