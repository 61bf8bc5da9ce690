import { STORE_PATIENCE_MS } from './batches.ts';
import { StoreUnavailable } from './store.ts';

/** How long something may wait for its turn, in milliseconds: it has the rest of its time to be done. */
const MAX_WAIT_MS = STORE_PATIENCE_MS / 2;

/** Lets so many do something at once; others wait for their turn, in the order in which they came. */
export class Turns {
  private free: number;
  private readonly waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.free = atOnce;
  }

  /** @throws StoreUnavailable if the turn comes too late */
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
