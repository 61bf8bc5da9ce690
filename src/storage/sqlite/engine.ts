import { setImmediate } from 'node:timers/promises';
import { Batches, STORE_PATIENCE_MS } from '../batches.ts';
import type { Item } from '../tables.ts';
import type { Engine, Opening, Outcome, Row, Run, Schema, Statement } from '../store.ts';
import { doWork } from '../transaction.ts';
import { Turns } from '../turns.ts';
import { connectReader } from './connection.ts';
import { atWork, unpack } from './errors.ts';
import { Thread } from './thread.ts';
import { withPauses } from './pauses.ts';
import { encode, rowDecoder } from './values.ts';

/** How many queries the thread that reads has at once: it does one after the other. */
const MAX_READS = 8;

/** A file, such as `sqlite:data/store.db`. */
export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/**
 * SQLite in a file, through worker threads: one writes, in batches, and from the first query that may take long on
 * another one reads, so that the query holds up no create.
 *
 * @throws StoreUnusable
 */
export async function openSqlite({ path }: SqliteLocation, { create, observer }: Opening): Promise<Engine> {
  const writer = new Thread({ path, mode: create ? 'create' : 'write' });
  const schema = (await writer.opened) as Schema;
  let reader: Promise<Thread> | undefined;
  const openReader = async () => {
    const thread = new Thread({ path, mode: 'read' });
    await thread.opened;
    return thread;
  };
  const getReader = () => {
    reader ??= openReader();
    reader.catch(() => (reader = undefined));
    return reader;
  };
  const reads = new Turns(MAX_READS);
  // Of operations, one at once: creates and look-ups wait for no more than one.
  const writes = new Turns(1);
  // One batch at once, as one thread writes.
  const batches = new Batches((items) => createBatch(writer, items), 1, observer);
  return {
    opened: Promise.resolve(schema),
    create: (item) => batches.add(item),
    createAll: withPauses(
      (items) => createBatch(writer, items),
      () => writer.call('othersWrote'),
    ),
    waiting: () => batches.length,
    run: async (statement) => {
      if (statement.writes) return await writes.take(() => writer.call('run', statement));
      return await reads.take(async () => (await getReader()).call('run', statement));
    },
    runShort: (statement) => writer.call('run', statement),
    transaction: (work) => writes.take(() => runTransaction(writer, work)),
    portions: (statement, rows) => readPortions(path, statement, rows),
    ready: () => writer.call('ready'),
    close: async () => {
      await batches.idle();
      // Behind those that wait.
      await reads.take(async () => (await reader)?.close(), Infinity);
      // The last to close makes one file of the database and its log, which a connection that only reads cannot.
      await writes.take(() => writer.close(), Infinity);
    },
  };
}

/** The writer does nothing else meanwhile. */
function runTransaction<T>(writer: Thread, work: (run: Run) => Promise<T>): Promise<T> {
  return writer.takeAlone(async (call) => {
    try {
      await call('begin');
      const result = await doWork(work, (statement) => call('runWithin', statement), STORE_PATIENCE_MS);
      await call('commit');
      return result;
    } catch (error) {
      await call('rollback');
      throw error;
    }
  });
}

/** One statement is one snapshot, for as long as it runs. */
async function* readPortions(path: string, { sql, values }: Statement, size: number): AsyncGenerator<readonly Row[]> {
  try {
    using reader = connectReader(path);
    const statement = reader.prepare(sql);
    const decode = rowDecoder(statement);
    let portion: Row[] = [];
    for (const row of statement.iterate(...values.map(encode))) {
      portion.push(decode(row));
      if (portion.length < size) continue;
      yield portion;
      portion = [];
      // Reading stops this thread, whose other work gets its turn now.
      await setImmediate();
    }
    yield portion;
  } catch (error) {
    throw atWork(error);
  }
}

async function createBatch(writer: Thread, items: readonly Item[]): Promise<Outcome[]> {
  const outcomes = await writer.call('createBatch', items);
  return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : unpack(outcome)));
}
