import { AsyncLocalStorage } from 'node:async_hooks';
import { once } from 'node:events';
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { asError } from 'trellis-contract/ground';
import { unpack } from './errors.ts';
import { StoreUnavailable, ThreadEnded } from '../store-errors.ts';
import type { Statements } from './statements.ts';
import type { WorkerAnswer, Call, WorkerOpening } from './worker.ts';

/** The file beside this one, which is TypeScript, or JavaScript in a package. */
const WORKER = new URL(`worker${extname(import.meta.filename)}`, import.meta.url);
/** No operation's async context: an operation whose query opens a thread is not to blame if the thread fails. */
const outside = AsyncLocalStorage.snapshot();

/** Calls the methods of `Statements` in a worker thread, which answers in the order of the calls. */
export class Thread {
  readonly opened: Promise<unknown>;
  hasEnded = false;
  private readonly worker: Worker;
  private readonly pending: PromiseWithResolvers<unknown>[] = [];

  constructor(opening: WorkerOpening) {
    this.worker = outside(() => new Worker(WORKER, { workerData: opening }));
    this.opened = this.nextAnswer();
    this.worker.on('message', (answer: WorkerAnswer) => {
      const caller = this.pending.shift();
      if ('error' in answer) caller?.reject(unpack(answer.error));
      else caller?.resolve(answer.result);
    });
    this.worker.on('error', (error) => {
      const cause = asError(error);
      const lost = new ThreadEnded(`a thread of SQLite has ended: ${cause.message}`, { cause });
      this.hasEnded = true;
      for (const { reject } of this.pending.splice(0)) reject(lost);
      // No caller catches this: serve.ts then ends the process. For a thread that only reads, another can be opened.
      if (opening.mode !== 'read') throw lost;
    });
  }

  /** @throws StoreUnavailable once the thread is closed, which would not answer */
  call<M extends keyof Statements>(method: M, ...args: Parameters<Statements[M]>): Promise<ReturnType<Statements[M]>> {
    if (this.hasEnded) return Promise.reject(new StoreUnavailable('the store is closed'));
    this.worker.postMessage({ method, args } satisfies Call);
    return this.nextAnswer() as Promise<ReturnType<Statements[M]>>;
  }

  async close(): Promise<void> {
    const exit = once(this.worker, 'exit');
    const closed = this.call('close');
    this.hasEnded = true;
    await closed;
    await exit;
  }

  private nextAnswer(): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.pending.push(answer);
    return answer.promise;
  }
}
