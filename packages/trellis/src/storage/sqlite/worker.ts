import 'trellis-contract/ground';
import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import { connect, connectReader, watchFiles } from './connection.ts';
import type { Layout } from '../layout.ts';
import { atWork, pack, type PackedError } from './errors.ts';
import { Statements } from './statements.ts';

// This thread owns a connection, so that an fsync or a long query does not block the thread that answers requests.

export interface WorkerOpening {
  readonly layout: Layout;
  readonly path: string;
  readonly mode: 'read' | 'write' | 'create';
  /** The identity of the file that a reader must open. */
  readonly identity?: string | undefined;
}

export interface Call {
  readonly method: keyof Statements;
  readonly args: readonly unknown[];
}

/** The first answer is for the opening; the others follow in the order of the calls. */
export type WorkerAnswer = { readonly result: unknown } | { readonly error: PackedError };

const { layout, path, mode, identity } = workerData as WorkerOpening;
post(() => {
  const { database, schema } =
    mode === 'read' ? { database: connectToSame(), schema: undefined } : connect(layout, path, mode === 'create');
  const statements = new Statements(layout, database);
  const requireFiles = mode === 'read' ? undefined : watchFiles(path);
  // Without this listener the thread ends.
  parentPort?.on('message', ({ method, args }: Call) => {
    post(() => {
      // A database whose files are lost can still be closed, and a transaction rolled back.
      if (method !== 'close' && method !== 'rollback') requireFiles?.();
      // The types of thread.ts match the arguments with the method.
      return Reflect.apply(Reflect.get(statements, method) as () => unknown, statements, args);
    });
    if (method === 'close') parentPort?.close();
  });
  return schema;
});
// Speeds up the next start even if this process is killed.
flushCompileCache();

/** Opens the file that the writer has open: a copy in its place might lack the latest rows. */
function connectToSame() {
  const requireFile = watchFiles(path, identity);
  requireFile();
  const database = connectReader(path);
  requireFile();
  return database;
}

function post(work: () => unknown): void {
  let answered: WorkerAnswer;
  try {
    answered = { result: work() };
  } catch (error) {
    answered = { error: pack(atWork(error, path)) };
  }
  parentPort?.postMessage(answered);
}
