import { AsyncLocalStorage } from 'node:async_hooks';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { asError } from 'trellis-contract/ground';
import { currentPlace, type WorkPlace, within } from '../place.ts';
import { type CallerKey, currentCaller } from './caller.ts';
import { StoreUnavailable } from './store-errors.ts';

/** The metric of the queue of writes. */
export const WAITING = {
  name: 'waiting_writes',
  help: 'Writes in the queue, without the batch that is being written.',
} as const;

/** A queue with more than this rejects further items, so that a slow disk does not fill the memory. */
export const MAX_WAITING = 10_000;
export const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** What an item counts for beside its own bytes. */
const ITEM_BYTES = MAX_WAITING_BYTES / MAX_WAITING;
/** The time limit of one call to the store. */
export const STORE_PATIENCE_MS = 5000;

/** No operation's async context: an operation whose item begins a loop is not to blame for a failure of the loop. */
const outside = AsyncLocalStorage.snapshot();

/** Takes waiting items into the batch under way, in their order, before the first that is not wanted. */
export type More<Item> = (isWanted: (item: Item) => boolean) => readonly Item[];

interface Options<Item, Answer> {
  /**
   * Resolves to the answers of items in their order: each is an answer, an error, or a promise of an answer that is still to
   * come, for which the next batch does not wait. If it rejects, all items fail.
   *
   * @param until the deadline of the first item, on the clock of `performance.now()`
   */
  readonly work: (
    items: readonly Item[],
    until: number,
    more: More<Item>,
    callerOf: (index: number) => CallerKey,
  ) => Promise<readonly (Answer | Error | Promise<Answer>)[]>;
  /** Estimates the memory of an item. */
  readonly bytesOf?: (item: Item) => number;
  readonly maxItems?: number;
  readonly maxActive?: number;
  /** How long the batches under way must have taken before another one begins beside them, in milliseconds. */
  readonly stuckMs?: number;
  /** The pause after each batch, in milliseconds. */
  readonly pauseMs?: number;
  /** How long an item may wait until its batch begins. */
  readonly maxWaitMs?: number;
  /** Whether an item must be a batch of its own. Batches of one such item and batches of others take turns. */
  readonly isAlone?: (item: Item) => boolean;
  /** Whether the success of an item proves that the store works again, which ends a failure (see `ask`). */
  readonly isProof?: (item: Item) => boolean;
}

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly caller: CallerKey;
  readonly place: WorkPlace | undefined;
  readonly bytes: number;
  readonly until: number;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Takes the waiting items in batches, in their order: the items that arrive during a batch form the next one. So one
 * fsync, or one message to a thread, serves few items at low load and many at high load, and none waits for a timer.
 */
export class Queue<Item, Answer> {
  /** How many batches may be under way at once. */
  maxActive: number;
  private readonly options: Required<Options<Item, Answer>>;
  private readonly waiting: Waiting<Item, Answer>[] = [];
  private readonly waitingAlone: Waiting<Item, Answer>[] = [];
  private wasAlone = false;
  private bytes = 0;
  /** While the queue is full: what each caller has of it, in bytes. */
  private shares: Map<CallerKey, number> | undefined;
  private active = 0;
  private takenAt = 0;
  private timer: NodeJS.Timeout | undefined;
  /** An item of the last batch that ended, if the store was unavailable to it. */
  private failed: Item | undefined;
  private readonly loops = new Set<Promise<void>>();

  constructor(options: Options<Item, Answer>) {
    this.options = {
      bytesOf: () => 0,
      maxItems: 1024,
      maxActive: 1,
      stuckMs: 0,
      pauseMs: 0,
      maxWaitMs: STORE_PATIENCE_MS,
      isAlone: () => false,
      isProof: () => true,
      ...options,
    };
    this.maxActive = this.options.maxActive;
  }

  get length(): number {
    return this.waiting.length + this.waitingAlone.length;
  }

  /**
   * @throws StoreUnavailable at once if the queue is full and the caller has its share of it, or later if the item has
   * waited too long
   */
  add(item: Item): Promise<Answer> {
    const caller = currentCaller();
    if (this.isFull(1) && (this.isFull(2) || !this.hasRoomFor(caller)))
      return Promise.reject(new StoreUnavailable('too many requests wait for the store'));
    return new Promise((resolve, reject) => {
      const bytes = this.options.bytesOf(item);
      this.bytes += bytes;
      this.shares?.set(caller, (this.shares.get(caller) ?? 0) + bytes + ITEM_BYTES);
      const line = this.options.isAlone(item) ? this.waitingAlone : this.waiting;
      const until = performance.now() + this.options.maxWaitMs;
      line.push({ item, caller, place: currentPlace(), bytes, until, resolve, reject });
      this.beginIfNeeded();
    });
  }

  /**
   * Asks whether the store can do its work, with an item of the batch that failed if there is one. If it can, the failure
   * ends, as after a batch that succeeds: a balancer sends nothing while an instance is not ready, so that no batch
   * would succeed.
   */
  async ask(canDo: (failed: Item | undefined) => Promise<void>): Promise<void> {
    const { failed } = this;
    await canDo(failed);
    if (this.failed === failed) this.failed = undefined;
  }

  async idle(): Promise<void> {
    // A loop may begin while others end.
    while (this.loops.size > 0) await Promise.all(this.loops);
  }

  private isFull(times: number): boolean {
    return this.length >= times * MAX_WAITING || this.bytes >= times * MAX_WAITING_BYTES;
  }

  /** Whether a caller has less than its part of a full queue: one that fills the queue keeps no other out of it. */
  private hasRoomFor(caller: CallerKey): boolean {
    if (this.shares === undefined) {
      const all = [...this.waiting, ...this.waitingAlone];
      this.shares = new Map();
      for (const { caller: other, bytes } of all)
        this.shares.set(other, (this.shares.get(other) ?? 0) + bytes + ITEM_BYTES);
    }
    return (this.shares.get(caller) ?? 0) * (this.shares.size + 1) < MAX_WAITING_BYTES;
  }

  private beginIfNeeded(): void {
    const { stuckMs } = this.options;
    if (this.length === 0 || this.active >= this.maxActive) return;
    const left = this.active === 0 ? 0 : this.takenAt + stuckMs - performance.now();
    if (left <= 0) this.begin();
    else
      this.timer ??= setTimeout(() => {
        this.timer = undefined;
        this.beginIfNeeded();
      }, left);
  }

  private begin(): void {
    this.active++;
    this.takenAt = performance.now();
    const loop = outside(() => this.workOnAll()).finally(() => this.loops.delete(loop));
    this.loops.add(loop);
  }

  private async workOnAll(): Promise<void> {
    for (;;) {
      // Node now processes the requests that have arrived, whose items join this batch, unless an item must be alone.
      if (this.options.maxItems > 1) await setImmediate();
      // Enough other loops run, and take what waits.
      if (this.active > this.maxActive) break;
      const batch = this.next();
      if (batch.length === 0) break;
      this.beginIfNeeded();
      const answers = await this.workOn(batch);
      batch.forEach((waiting, index) => {
        const answer = answers[index] as Answer | Error | Promise<Answer>;
        if (Error.isError(answer)) fail(waiting, answer);
        else if (answer instanceof Promise)
          void answer.then(waiting.resolve, (error: unknown) => fail(waiting, asError(error)));
        else waiting.resolve(answer);
      });
      if (this.options.pauseMs > 0) await sleep(this.options.pauseMs);
    }
    // No `await` may stand between the last next() and this, as the next item must start a new loop.
    this.active--;
  }

  /** @param batch gets the items that join it */
  private async workOn(batch: Waiting<Item, Answer>[]): ReturnType<Options<Item, Answer>['work']> {
    const items = batch.map(({ item }) => item);
    const more: More<Item> = (isWanted) => {
      const end = this.waiting.findIndex(({ item }) => !isWanted(item));
      const joining = this.take(this.waiting, end === -1 ? this.options.maxItems : end);
      batch.push(...joining);
      return joining.map(({ item }) => item);
    };
    try {
      const answers = await this.options.work(items, batch[0]?.until ?? 0, more, (index) => batch[index]?.caller);
      const failed = batch.find((_waiting, index) => answers[index] instanceof StoreUnavailable);
      if (failed !== undefined || batch.some(({ item }) => this.options.isProof(item))) this.failed = failed?.item;
      return answers;
    } catch (error) {
      this.failed = items[0];
      return batch.map(() => asError(error));
    }
  }

  /** Takes the next batch from the queue. */
  private next(): Waiting<Item, Answer>[] {
    for (;;) {
      this.wasAlone = this.waitingAlone.length > 0 && !(this.wasAlone && this.waiting.length > 0);
      const isEmpty = this.length === 0;
      const batch = this.wasAlone ? this.take(this.waitingAlone, 1) : this.take(this.waiting, this.options.maxItems);
      this.takenAt = performance.now();
      if (batch.length > 0 || isEmpty) return batch;
    }
  }

  /** Takes the first items of a line out of it, and rejects those that have waited too long. */
  private take(line: Waiting<Item, Answer>[], count: number): Waiting<Item, Answer>[] {
    const taken = line.splice(0, count);
    const now = performance.now();
    if (taken.length > 0) this.shares = undefined;
    for (const waiting of taken) {
      this.bytes -= waiting.bytes;
      if (waiting.until <= now) fail(waiting, new StoreUnavailable('the request has waited too long for the store'));
    }
    return taken.filter(({ until }) => until > now);
  }
}

/** In the place of the caller: Node takes a promise that is rejected, and that nothing awaits, for a failure there. */
function fail({ place, reject }: Pick<Waiting<unknown, unknown>, 'place' | 'reject'>, error: Error): void {
  within(place, () => reject(error));
}
