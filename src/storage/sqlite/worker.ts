import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { connect } from './connection.ts';
import { atWork, pack, type PackedError } from './errors.ts';
import { Tables } from './tables.ts';

/** What the worker is started with. */
export interface WorkerOpening {
  readonly path: string;
  readonly create: boolean;
}

/** What the worker is asked for: a method of Tables, with its arguments. */
export interface Call {
  readonly method: keyof Tables;
  readonly args: readonly unknown[];
}

/** Its answers come in the order of the calls; the first one is to the opening. */
export type Answer = { readonly result: unknown } | { readonly error: PackedError };

// The thread that owns the connection, so that an fsync stops it and never the thread that answers requests. It does
// one thing after the other.

const { path, create } = workerData as WorkerOpening;
post(() => {
  const { database, schema } = connect(path, create);
  const tables = new Tables(database);
  // Without this listener the thread ends.
  parentPort?.on('message', ({ method, args }: Call) => {
    // A call has the arguments of its method, as Thread of engine.ts makes sure.
    post(() => Reflect.apply(Reflect.get(tables, method) as () => unknown, tables, args));
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
