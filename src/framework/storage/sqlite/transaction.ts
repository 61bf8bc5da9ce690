import type { Creation, NewRow, Statement, Within } from '../store.ts';
import { type Queue, STORE_PATIENCE_MS } from '../queue.ts';
import { doWork } from '../transaction.ts';
import type { Act, Answer, Job, Trace, Traced } from './statements.ts';
import type { Thread } from './thread.ts';
import { type Found, resultOf } from './values.ts';

/** Work that has the writing thread alone until it is done. */
export interface Alone {
  readonly alone: () => Promise<unknown>;
}
export type Writes = Queue<Job | Alone, Traced>;

/** After so many guesses in vain, other writers are too busy with the same rows. */
const MAX_GUESSES = 3;
/** Each act repeats those before it, and sends the rows of their answers again. */
const MAX_REPEATED = 16;
const MAX_ROWS = 100;

/** Ends a guess whose acts would get other answers now, or that takes long. */
class GuessEnded extends Error {
  readonly mayRepeat: boolean;

  constructor(mayRepeat: boolean) {
    super('the transaction runs again');
    this.mayRepeat = mayRepeat;
  }
}

/**
 * Runs a transaction as guesses, which hold nothing: the writing thread answers each act, takes it back, and serves
 * others. At the end it repeats all acts at once, and keeps them if they still get the answers that `work` has seen. So
 * many transactions share messages and a commit, and one that dawdles delays no other writer.
 *
 * Evidence that it is serializable: the histories of the bank (examples/bank/test/history.ts).
 */
export async function runTransaction<T>(
  writes: Writes,
  writer: Thread,
  work: (within: Within) => Promise<T>,
): Promise<T> {
  const until = performance.now() + STORE_PATIENCE_MS;
  for (let guesses = 0; guesses < MAX_GUESSES; guesses++) {
    const guess = new Guess(writes);
    try {
      const result = await doWork(work, guess, until - performance.now());
      if (await guess.keep()) return result;
    } catch (error) {
      if (!(error instanceof GuessEnded)) throw error;
      if (!error.mayRepeat) break;
    }
  }
  return (await writes.add({ alone: () => runAlone(writer, work) })) as T;
}

class Guess implements Within {
  private readonly writes: Writes;
  private readonly done: { readonly act: Act; readonly answer: Answer }[] = [];
  private rows = 0;
  private last: Promise<unknown> = Promise.resolve();

  constructor(writes: Writes) {
    this.writes = writes;
  }

  readonly run = async (statement: Statement) => resultOf((await this.inOrder(statement)) as Found);
  readonly create = async (row: NewRow) => (await this.inOrder(row)) as Creation;

  /** Returns false if the transaction has had no effect, and must run again. */
  async keep(): Promise<boolean> {
    // The last guess has had all answers at one moment, and what it read was durable.
    if (!this.done.some(({ act }) => 'table' in act || act.writes)) return true;
    this.requireFew(this.done.length);
    return (await this.writes.add({ done: this.done })) !== 'moved';
  }

  /** One act at a time, so that all have the answers of one moment. */
  private inOrder(act: Act): Promise<Answer> {
    const answer = this.last.then(() => this.ask(act));
    this.last = answer;
    return answer;
  }

  private async ask(act: Act): Promise<Answer> {
    this.requireFew(this.done.length + 1);
    const trace: Trace = { done: this.done, next: act };
    const answer = await this.writes.add(trace);
    if (answer === 'moved' || answer === 'slow') throw new GuessEnded(answer === 'moved');
    this.done.push({ act, answer });
    if (typeof answer === 'object') this.rows += answer.rows.length;
    return answer;
  }

  private requireFew(acts: number): void {
    if (acts > MAX_REPEATED || this.rows > MAX_ROWS) throw new GuessEnded(false);
  }
}

async function runAlone<T>(writer: Thread, work: (within: Within) => Promise<T>): Promise<T> {
  const run = async (statement: Statement) => resultOf((await writer.call('act', statement)) as Found);
  const create = async (row: NewRow) => (await writer.call('act', row)) as Creation;
  try {
    await writer.call('begin');
    const result = await doWork(work, { run, create }, STORE_PATIENCE_MS);
    await writer.call('commit');
    return result;
  } catch (error) {
    await writer.call('rollback');
    throw error;
  }
}
