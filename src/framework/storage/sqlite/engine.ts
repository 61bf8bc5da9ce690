import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { Batches, STORE_PATIENCE_MS } from '../batches.ts';
import type { Layout } from '../layout.ts';
import type { Engine, NewRow, Opening, Outcome, Row, Schema, Statement, Within } from '../store.ts';
import type { Tables } from '../tables.ts';
import { doWork } from '../transaction.ts';
import { Turns } from '../turns.ts';
import { connectReader } from './connection.ts';
import { atWork, unpack } from './errors.ts';
import { Thread } from './thread.ts';
import { encode, rowDecoder } from './values.ts';

/**
 * A batch of so many rows takes 10 ms on a fast disk, so other processes have half of the time. SQLite polls its lock
 * every 100 ms at last: a service would wait for seconds if it had a small share.
 */
const YIELDING = { maxRows: 4096, pauseMs: 10 };
/** The reading thread runs one query at a time; the others wait in its message queue. */
const MAX_READS = 8;

export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/** Starts a thread that writes. The first long query starts another thread that reads, so that it delays no create. */
export async function openSqlite(
  layout: Layout,
  { path }: SqliteLocation,
  { create, observer, yields = false }: Opening,
): Promise<Engine> {
  const writer = new Thread({ layout, path, mode: create ? 'create' : 'write' });
  const schema = (await writer.opened) as Schema;
  let reader: Promise<Thread> | undefined;
  const openReader = async () => {
    const thread = new Thread({ layout, path, mode: 'read' });
    await thread.opened;
    return thread;
  };
  const getReader = () => {
    reader ??= openReader();
    reader.catch(() => (reader = undefined));
    return reader;
  };
  const reads = new Turns(MAX_READS);
  // One write of an operation at a time, so that creates and look-ups of tokens wait for at most one.
  const writes = new Turns(1);
  let restedAt = performance.now();
  const write = <Result>(work: () => Promise<Result>): Promise<Result> =>
    writes.take(async () => {
      if (yields && performance.now() - restedAt > YIELDING.pauseMs) {
        await sleep(YIELDING.pauseMs);
        restedAt = performance.now();
      }
      return await work();
    });
  const batches = new Batches((rows) => createBatch(writer, rows), 1, observer, yields ? YIELDING : undefined);
  return {
    opened: Promise.resolve(schema),
    create: (row) => batches.add(row),
    waiting: () => batches.length,
    run: async (statement) => {
      if (statement.writes) return await write(() => writer.call('run', statement));
      return await reads.take(async () => (await getReader()).call('run', statement));
    },
    runShort: (statement) => writer.call('run', statement),
    transaction: (work) => write(() => runTransaction(writer, work)),
    portions: (statement, rows) => readPortions(layout.tables, path, statement, rows),
    ready: () => batches.ask((failed) => writer.call('ready', failed)),
    close: async () => {
      await batches.idle();
      // The reader closes after the queries under way.
      await reads.take(async () => (await reader)?.close(), Infinity);
      // The writer closes last: SQLite merges the log into the database when the last connection closes, and a reader
      // cannot write.
      await writes.take(() => writer.close(), Infinity);
    },
  };
}

function runTransaction<T>(writer: Thread, work: (within: Within) => Promise<T>): Promise<T> {
  return writer.takeAlone(async (call) => {
    const within: Within = {
      run: (statement) => call('runWithin', statement),
      create: (row) => call('createWithin', row),
    };
    try {
      await call('begin');
      const result = await doWork(work, within, STORE_PATIENCE_MS);
      await call('commit');
      return result;
    } catch (error) {
      await call('rollback');
      throw error;
    }
  });
}

/** A statement reads one snapshot from its first row to its last. */
async function* readPortions(
  tables: Tables,
  path: string,
  { sql, values }: Statement,
  size: number,
): AsyncGenerator<readonly Row[]> {
  try {
    using reader = connectReader(path);
    const statement = reader.prepare(sql);
    const decode = rowDecoder(tables, statement);
    let portion: Row[] = [];
    for (const row of statement.iterate(...values.map(encode))) {
      portion.push(decode(row));
      if (portion.length < size) continue;
      yield portion;
      portion = [];
      // This thread reads synchronously: it now processes other events.
      await setImmediate();
    }
    yield portion;
  } catch (error) {
    throw atWork(error, path);
  }
}

async function createBatch(writer: Thread, rows: readonly NewRow[]): Promise<Outcome[]> {
  const outcomes = await writer.call('createBatch', rows);
  return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : unpack(outcome)));
}
