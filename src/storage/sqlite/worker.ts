import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { connect, connectReader, watchFiles } from './connection.ts';
import { atWork, pack, type PackedError } from './errors.ts';
import { Statements } from './statements.ts';

/** What a worker is started with. */
export interface WorkerOpening {
  readonly path: string;
  /** What it does: reads only, writes to a database that is there, or to one that it makes. */
  readonly mode: 'read' | 'write' | 'create';
}

/** What a worker is asked for: a method of Statements, with its arguments. */
export interface Call {
  readonly method: keyof Statements;
  readonly args: readonly unknown[];
}

/** Its answers come in the order of the calls; the first one is to the opening. */
export type Answer = { readonly result: unknown } | { readonly error: PackedError };

// A thread that owns a connection, so that an fsync, or a long query, stops it and never the thread that answers
// requests. It does one thing after the other.

const { path, mode } = workerData as WorkerOpening;
post(() => {
  const { database, schema } =
    mode === 'read' ? { database: connectReader(path), schema: undefined } : connect(path, mode === 'create');
  const statements = new Statements(database);
  const requireFiles = mode === 'read' ? undefined : watchFiles(path);
  // Without this listener the thread ends.
  parentPort?.on('message', ({ method, args }: Call) => {
    post(() => {
      // A rollback, too, ends what was begun.
      if (method !== 'close' && method !== 'rollback') requireFiles?.();
      // A call has the arguments of its method, as Thread of thread.ts makes sure.
      return Reflect.apply(Reflect.get(statements, method) as () => unknown, statements, args);
    });
    if (method === 'close') parentPort?.close();
  });
  return schema;
});
// For the next start, also if this process is killed.
flushCompileCache();

function post(work: () => unknown): void {
  let answered: Answer;
  try {
    answered = { result: work() };
  } catch (error) {
    answered = { error: pack(atWork(error)) };
  }
  parentPort?.postMessage(answered);
}
