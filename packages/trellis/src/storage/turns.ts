import { type CallerKey, currentCaller } from './caller.ts';
import { MAX_WAITING } from './queue.ts';
import { StoreUnavailable } from './store-errors.ts';

/** Any work may have a shared turn. */
type TurnKind = 'shared' | 'short';

interface Turn {
  readonly caller: CallerKey;
  readonly isShort: boolean;
  readonly until: number;
  readonly resolve: (kind: TurnKind) => void;
  readonly reject: (error: Error) => void;
}

interface AskedTurn {
  /** Whether the work takes a few milliseconds. */
  readonly isShort?: boolean | undefined;
  /** The deadline of work that has had a turn: it goes before all other work of its caller. */
  readonly until?: number | undefined;
}

/**
 * Limits how much work is done at the same time. A turn goes to the caller that has the fewest, and of a caller's work to
 * that which came first: so no caller waits for all work of another one.
 */
export class Turns {
  private readonly maxWaitMs: number;
  private readonly spare: number;
  private readonly free: Record<TurnKind, number>;
  /** How many shared turns a caller has, if any. */
  private readonly held = new Map<CallerKey, number>();
  /** What waits, by caller; no list is empty. */
  private readonly waiting = new Map<CallerKey, Turn[]>();
  private waits = 0;

  /**
   * @param short more turns, for short work while long work has all others
   * @param spare how many of the shared turns are kept for callers that have none
   */
  constructor(shared: number, maxWaitMs: number, { short = 0, spare = 0 } = {}) {
    this.free = { shared, short };
    this.maxWaitMs = maxWaitMs;
    this.spare = spare;
  }

  /** How much work waits. */
  get length(): number {
    return this.waits;
  }

  /** @throws StoreUnavailable at once if too much work waits, or at its turn if it has waited too long */
  async run<T>(work: () => Promise<T>, { isShort = false, until }: AskedTurn = {}): Promise<T> {
    const caller = currentCaller();
    let kind: TurnKind = isShort && !this.mayShare(caller) ? 'short' : 'shared';
    // Makes no promise if a turn is free, as every request comes here.
    if (kind === 'short' ? this.free.short > 0 : this.mayShare(caller)) this.take(kind, caller);
    else kind = await this.next(caller, isShort, until);
    try {
      return await work();
    } finally {
      this.giveBack(kind, caller);
    }
  }

  private mayShare(caller: CallerKey): boolean {
    return this.free.shared > (this.held.has(caller) ? this.spare : 0);
  }

  private next(caller: CallerKey, isShort: boolean, deadline = Infinity): Promise<TurnKind> {
    const line = this.waiting.get(caller) ?? [];
    // A caller that has reached the limit keeps no other out: one with less than its part may wait, up to twice the limit.
    const hasPart = line.length * (this.waiting.size + 1) >= MAX_WAITING;
    if (this.waits >= MAX_WAITING && (hasPart || this.waits >= 2 * MAX_WAITING))
      throw new StoreUnavailable('too many requests wait for the store');
    return new Promise((resolve, reject) => {
      const until = Math.min(deadline, performance.now() + this.maxWaitMs);
      const turn = { caller, isShort, until, resolve, reject };
      if (deadline === Infinity) line.push(turn);
      else line.unshift(turn);
      this.waiting.set(caller, line);
      this.waits++;
    });
  }

  private take(kind: TurnKind, caller: CallerKey): void {
    this.free[kind]--;
    if (kind === 'shared') this.held.set(caller, (this.held.get(caller) ?? 0) + 1);
  }

  private giveBack(kind: TurnKind, caller: CallerKey): void {
    this.free[kind]++;
    if (kind === 'shared') {
      const left = (this.held.get(caller) ?? 0) - 1;
      if (left > 0) this.held.set(caller, left);
      else this.held.delete(caller);
    }
    const now = performance.now();
    for (let next = this.choose(kind); next !== undefined; next = this.choose(kind)) {
      if (next.until <= now) {
        next.reject(new StoreUnavailable('the request has waited too long for the store'));
        continue;
      }
      this.take(kind, next.caller);
      next.resolve(kind);
    }
  }

  /** Takes the work that is next to have such a turn out of its line. */
  private choose(kind: TurnKind): Turn | undefined {
    if (this.free[kind] === 0) return undefined;
    let [chosen, place, least]: [Turn[] | undefined, number, number] = [undefined, 0, Infinity];
    for (const [caller, line] of this.waiting) {
      const has = this.held.get(caller) ?? 0;
      const at = kind === 'short' ? line.findIndex(({ isShort }) => isShort) : this.mayShare(caller) ? 0 : -1;
      if (at >= 0 && has < least) [chosen, place, least] = [line, at, has];
    }
    const [turn] = chosen?.splice(place, 1) ?? [];
    if (turn === undefined) return undefined;
    this.waits--;
    // At the end, so that callers with equally many turns take the next ones in rotation.
    this.waiting.delete(turn.caller);
    if (chosen !== undefined && chosen.length > 0) this.waiting.set(turn.caller, chosen);
    return turn;
  }
}
