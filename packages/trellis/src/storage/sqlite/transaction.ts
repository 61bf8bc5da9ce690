import type { Creation, Within, Work } from '../store.ts';
import { type Queue, STORE_PATIENCE_MS, whenTaken } from '../queue.ts';
import { bytesOf } from '../rows.ts';
import {
  type RowOrStatement,
  type CreationOrFound,
  bytesOfAct,
  type Task,
  type Trace,
  type Traced,
} from './statements.ts';
import type { Thread } from './thread.ts';
import { type FoundRows, resultOf } from './values.ts';

/** Work that has the writing thread to itself until it is done. */
export type Alone = () => Promise<void>;
export type Writes = Queue<Task | Alone, Traced>;

/** After this many guesses that other writers have outdated, the transaction runs alone. */
const MAX_GUESSES = 3;
/** Bounds of a guess: its acts and their bytes, as each act sends the earlier ones again, with their answers. */
const MAX_REPEATED = 16;
const MAX_BYTES = 64 * 1024;

/**
 * Runs a transaction as guesses, which hold no lock: the writing thread answers each act, takes it back, and serves
 * others. At the end it repeats all acts at once, and keeps them if they still get the answers that `work` has seen. So
 * many transactions share messages and a commit, and a slow one delays no other writer. The histories of the bank
 * (examples/bank/test/history.ts) are evidence that this is serializable.
 */
export async function runTransaction<T>(writes: Writes, writer: Thread, work: Work<T>): Promise<T> {
  const until = performance.now() + STORE_PATIENCE_MS;
  for (let guesses = 0; guesses < MAX_GUESSES; guesses++) {
    const guess = new Guess(writes);
    try {
      const result = await work(guess.within, until);
      if (await guess.keep()) return result;
    } catch (error) {
      if (guess.ended === undefined) throw error;
      if (guess.ended === 'too large') break;
    }
  }
  return await whenTaken<T>(
    (alone) => writes.add(alone),
    () => runAlone(writer, work, until),
  );
}

class Guess {
  /** Why the guess cannot go on: an act would get another answer now, or the acts take too much to be repeated. */
  ended: 'moved' | 'too large' | undefined;
  readonly within = withinOf((act) => this.inOrder(act));
  private readonly writes: Writes;
  private readonly done: { readonly act: RowOrStatement; readonly answer: CreationOrFound }[] = [];
  private bytes = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(writes: Writes) {
    this.writes = writes;
  }

  /** Returns false if the transaction has had no effect, and must run again. */
  async keep(): Promise<boolean> {
    // All answers were those of one moment, and what was read was durable: without a write, nothing is left to do.
    if (!this.done.some(({ act }) => !('sql' in act) || act.writes)) return true;
    return (await this.writes.add(this.trace())) !== 'moved';
  }

  /** One act at a time, so that all have the answers of one moment. */
  private inOrder(act: RowOrStatement): Promise<CreationOrFound> {
    const answer = this.last.then(() => this.ask(act));
    this.last = answer;
    return answer;
  }

  private async ask(act: RowOrStatement): Promise<CreationOrFound> {
    const answer = await this.writes.add(this.trace(act));
    if (answer === 'moved' || answer === 'slow' || answer === 'kept')
      throw this.end(answer === 'moved' ? 'moved' : 'too large');
    this.done.push({ act, answer });
    this.bytes += bytesOfAct(act) + (typeof answer === 'string' ? 0 : bytesOf(answer.rows.flat()));
    return answer;
  }

  private trace(next?: RowOrStatement): Trace {
    const { done, bytes } = this;
    if (done.length + (next ? 1 : 0) > MAX_REPEATED || bytes > MAX_BYTES) throw this.end('too large');
    return next === undefined ? { done, bytes } : { done, next, bytes: bytes + bytesOfAct(next) };
  }

  private end(why: 'moved' | 'too large'): Error {
    this.ended = why;
    return new Error('the transaction runs again');
  }
}

async function runAlone<T>(writer: Thread, work: Work<T>, until: number): Promise<T> {
  const within = withinOf((act) => writer.call('act', act));
  try {
    await writer.call('begin');
    const result = await work(within, until);
    await writer.call('commit');
    return result;
  } catch (error) {
    await writer.call('rollback');
    throw error;
  }
}

/** @param ask asks the writing thread for the answer to an act */
export function withinOf(ask: (act: RowOrStatement) => Promise<unknown>): Within {
  return {
    run: async (statement) => resultOf((await ask(statement)) as FoundRows),
    create: (row) => ask(row) as Promise<Creation>,
  };
}
