import { AsyncResource } from 'node:async_hooks';
import { asError } from 'trellis-contract/ground';
import { type More, type Queue, STORE_PATIENCE_MS } from '../queue.ts';
import { ConstraintViolated, StoreUnavailable } from '../store-errors.ts';
import type { Creation } from '../queries.ts';
import type { Limit, Within, Work } from '../engine.ts';
import type { StoreObserver } from '../store.ts';
import { settled } from '../transaction.ts';
import type { Turns } from '../turns.ts';
import { unpackEach } from './errors.ts';
import type { CreationOrFound, RowOrStatement } from './statements.ts';
import type { Thread } from './thread.ts';
import { type FoundRows, resultOf } from './values.ts';

/** How long the runs of a transaction may hold the store without a query, before they are undone and others come first. */
const HOLDS_MS = [50, 100, 250];
/** A late event loop delays a tick, so that the time by which it is late does not count. */
const TICK_MS = 5;
/** After this time no further transaction joins a commit. */
const MAX_TOGETHER_MS = 50;
/** The same where other writes wait for the commit. */
const MAX_BESIDE_OTHERS_MS = 3;

const HELD = `a transaction held the store without a query for ${HOLDS_MS.join(', ')} ms, and was undone each time: let its \
function wait only for the queries that it receives, and do slow work before or after the transaction; a write that is \
called outside of it waits for its end`;

class Held extends Error {}

export type Write = RowOrStatement | TransactionRun<unknown>;
export type AnswerOrRan = CreationOrFound | 'ran';
export type Writes = Queue<Write, AnswerOrRan>;

/** A run of the function of a transaction. */
class TransactionRun<T> {
  readonly isFirst: boolean;
  /** Resolves when another transaction may run, before the commit. */
  readonly over = Promise.withResolvers<undefined>();
  outcome: { readonly result: T } | { readonly thrown: unknown } | undefined;
  /** The last write of the run. */
  wrote: RowOrStatement | undefined;
  private readonly work: Work<T>;
  private readonly holdMs: number;

  constructor(work: Work<T>, holdMs: number) {
    this.work = work;
    this.holdMs = holdMs;
    this.isFirst = holdMs === HOLDS_MS[0];
  }

  /**
   * @param savepoint a number that no other run has
   * @returns the error of the store because of which the run was undone
   * @throws Error if SQLite has undone all that others have written since the last commit
   */
  async on(writer: Thread, savepoint: number): Promise<'ran' | Error> {
    let atStore = 0;
    let refused: unknown;
    const ask = async (asked: RowOrStatement) => {
      if (!('sql' in asked) || asked.writes) this.wrote = asked;
      atStore++;
      try {
        return await writer.call('ask', asked, savepoint);
      } catch (error) {
        refused ??= error;
        throw error;
      } finally {
        atStore--;
      }
    };
    const limit: Limit = (end) => {
      const until = performance.now() + STORE_PATIENCE_MS;
      let heldMs = 0;
      const ticks = setInterval(() => {
        if (atStore === 0) heldMs += TICK_MS;
        if (heldMs >= this.holdMs) end(new Held());
        else if (performance.now() > until) end(new StoreUnavailable('a transaction took too long'));
      }, TICK_MS);
      return () => clearInterval(ticks);
    };
    try {
      this.outcome = { result: await this.work(withinOf(ask), limit) };
      return 'ran';
    } catch (thrown) {
      this.outcome = thrown instanceof Held ? undefined : { thrown };
      // What fails from here on was asked by a run that is over.
      const because = refused;
      await writer.call('undo', savepoint).catch((lost: unknown) => {
        throw asError(because ?? lost);
      });
      return because === undefined ? 'ran' : asError(because);
    } finally {
      this.over.resolve(undefined);
    }
  }
}

/**
 * Runs a transaction when it is the turn of its caller, and resolves after the commit: what it has read may be what
 * others of this commit have written. The histories of the bank (examples/bank/test/history.ts) are evidence that
 * transactions are serializable.
 */
export async function runTransaction<T>(writes: Writes, turns: Turns, work: Work<T>): Promise<T> {
  // In the async context of the caller, and not in that of the queue.
  const bound = AsyncResource.bind(work);
  for (const holdMs of HOLDS_MS) {
    const run = new TransactionRun(bound, holdMs);
    const { committed } = await turns.run(
      async () => {
        const committed = writes.add(run);
        await Promise.race([run.over.promise, committed]);
        return { committed };
      },
      run.isFirst ? {} : { until: performance.now() + STORE_PATIENCE_MS },
    );
    await committed;
    if (run.outcome === undefined) continue;
    if ('thrown' in run.outcome) throw run.outcome.thrown;
    return run.outcome.result;
  }
  throw new Error(HELD);
}

export function isRun(write: Write): write is TransactionRun<unknown> {
  return write instanceof TransactionRun;
}

/** Whether a write has shown that the store can store rows. */
export function isProof(write: Write): boolean {
  return !isRun(write) || (write.wrote !== undefined && write.outcome !== undefined && 'result' in write.outcome);
}

/** Of all stores of the process: a number need only differ from those of the other runs of its commit. */
let savepoints = 0;

/**
 * Does writes one after the other, with transactions that come meanwhile and what waits before them, and commits all
 * at once. Returns an answer for each, in their order.
 *
 * @throws Error if none of them has an effect
 */
export async function writeTogether(
  writer: Thread,
  taken: readonly Write[],
  more: More<Write>,
  observer: StoreObserver | undefined,
): Promise<(AnswerOrRan | Error)[]> {
  const begunAt = performance.now();
  const batch: Write[] = [];
  const answers: (AnswerOrRan | Error)[] = [];
  let others: RowOrStatement[] = [];
  let sent = 0;
  let isShared = false;
  let ms = 0;
  const write = async (commits: boolean) => {
    const askedAt = performance.now();
    try {
      answers.push(...unpackEach(await writer.call('write', others, { begins: sent++ === 0, commits })));
    } finally {
      ms += performance.now() - askedAt;
    }
    others = [];
  };
  try {
    for (let items = taken; items.length > 0;) {
      for (const item of items) {
        batch.push(item);
        if (!isRun(item)) {
          isShared = true;
          others.push(item);
          continue;
        }
        if (sent === 0 || others.length > 0) await write(false);
        answers.push(await item.on(writer, ++savepoints));
      }
      if (!items.some(isRun)) break;
      // The next transaction has its turn now, and waits.
      await settled();
      const waiting = more((item) => !isRun(item));
      const maxMs = isShared || waiting.length > 0 ? MAX_BESIDE_OTHERS_MS : MAX_TOGETHER_MS;
      const isLate = performance.now() - begunAt >= maxMs;
      items = isLate ? waiting : [...waiting, ...more((item) => !isRun(item) || item.isFirst)];
    }
    await write(true);
    return answers;
  } catch (error) {
    await writer.call('rollback').catch(() => undefined);
    if (!(error instanceof ConstraintViolated) || batch.length === 1) throw error;
    // One of them broke a constraint that only the commit checks, which undoes all of them: now each is done alone.
    const alone: (AnswerOrRan | Error)[] = [];
    for (const item of batch)
      alone.push(...(await writeTogether(writer, [item], () => [], undefined).catch((why: unknown) => [asError(why)])));
    return alone;
  } finally {
    observer?.written(batch.length, ms);
  }
}

/** @param ask asks the writing thread for the answer */
export function withinOf(ask: (asked: RowOrStatement) => Promise<unknown>): Within {
  return {
    run: async (statement) => resultOf((await ask(statement)) as FoundRows),
    create: (row) => ask(row) as Promise<Creation>,
  };
}
