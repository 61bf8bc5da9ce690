import { flushCompileCache } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';
import type { Creation } from '../store.ts';
import { connect } from './connection.ts';
import { atWork, pack, type PackedError } from './errors.ts';
import { Tables } from './tables.ts';

/** What the worker is started with. */
export interface WorkerOpening {
  readonly path: string;
  readonly create: boolean;
}

/** What can be asked of the worker: a method of Tables, with its arguments. */
export type Method = keyof Tables;
export type Call = { [M in Method]: { readonly method: M; readonly args: Parameters<Tables[M]> } }[Method];

/** Its answers come in the order of the calls; the first one is to the opening. */
export type Answer = { readonly result: unknown } | { readonly error: PackedError };
export type PackedOutcome = Creation | PackedError;

/**
 * The thread that owns the connection, so that an fsync stops it and never the thread that answers requests. It does
 * one thing after the other.
 */
function serve(): void {
  const port = parentPort;
  if (port === null) throw new Error('worker.ts runs as a worker thread only');
  const { path, create } = workerData as WorkerOpening;
  let tables: Tables;
  try {
    const { database, schema } = connect(path, create);
    tables = new Tables(database);
    port.postMessage({ result: schema } satisfies Answer);
    // For the next start, also if this process is killed.
    flushCompileCache();
  } catch (error) {
    port.postMessage({ error: pack(error as Error) } satisfies Answer);
    return;
  }
  port.on('message', (call: Call) => {
    port.postMessage(answer(tables, call));
    if (call.method === 'close') port.close();
  });
}

function answer(tables: Tables, call: Call): Answer {
  try {
    return { result: run(tables, call) };
  } catch (error) {
    return { error: pack(atWork(error)) };
  }
}

function run(tables: Tables, call: Call): unknown {
  if (call.method === 'create') {
    const outcomes = tables.create(...call.args);
    return outcomes.map((each): PackedOutcome => ('error' in each ? pack(each.error) : each.result));
  }
  // Call has each method with its own arguments, which the compiler does not follow here.
  const methods = tables as unknown as Readonly<Record<Method, (...args: readonly unknown[]) => unknown>>;
  return methods[call.method](...call.args);
}

serve();
