import { MAX_WAITING } from './queue.ts';
import { StoreUnavailable } from './store.ts';

/** Any work may have a shared turn. */
type TurnKind = 'shared' | 'short';

interface Turn {
  readonly isShort: boolean;
  readonly until: number;
  readonly resolve: (kind: TurnKind) => void;
  readonly reject: (error: Error) => void;
}

/** Limits how much work is done at the same time; further work waits in the order in which it came. */
export class Turns {
  private readonly maxWaitMs: number;
  private readonly waiting: Turn[] = [];
  private readonly free: Record<TurnKind, number>;

  /** @param short more turns, for short work while long work has all others */
  constructor(shared: number, maxWaitMs: number, short = 0) {
    this.free = { shared, short };
    this.maxWaitMs = maxWaitMs;
  }

  /** How much work waits. */
  get length(): number {
    return this.waiting.length;
  }

  /** @throws StoreUnavailable at once if too much work waits, or at its turn if it has waited too long */
  async run<T>(work: () => Promise<T>, isShort = false): Promise<T> {
    let kind: TurnKind = isShort && this.free.shared === 0 ? 'short' : 'shared';
    // Makes no promise if a turn is free, as every request comes here.
    if (this.free[kind] > 0) this.free[kind]--;
    else if (this.length >= MAX_WAITING) throw new StoreUnavailable('too many requests wait for the store');
    else kind = await this.next(isShort);
    try {
      return await work();
    } finally {
      this.pass(kind);
    }
  }

  private next(isShort: boolean): Promise<TurnKind> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ isShort, until: performance.now() + this.maxWaitMs, resolve, reject });
    });
  }

  private pass(kind: TurnKind): void {
    const now = performance.now();
    for (let next = this.take(kind); next !== undefined; next = this.take(kind)) {
      if (next.until > now) {
        next.resolve(kind);
        return;
      }
      next.reject(new StoreUnavailable('the request has waited too long for the store'));
    }
    this.free[kind]++;
  }

  /** Takes the first work that waits for such a turn. */
  private take(kind: TurnKind): Turn | undefined {
    if (kind === 'shared') return this.waiting.shift();
    const at = this.waiting.findIndex(({ isShort }) => isShort);
    return at < 0 ? undefined : this.waiting.splice(at, 1)[0];
  }
}
