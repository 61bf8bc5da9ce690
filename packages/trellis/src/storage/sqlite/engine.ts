import { realpathSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { dirname } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Layout } from '../layout.ts';
import { Queue, STORE_PATIENCE_MS, WAITING } from '../queue.ts';
import { formatsOf, ofTable, RowFormat } from '../rows.ts';
import type { AnyRow, Engine, LookUp, Measured, Statement, StoreSchema } from '../engine.ts';
import type { Opening } from '../store.ts';
import { StoreUnavailable } from '../store-errors.ts';
import type { Tables } from '../tables.ts';
import { Turns } from '../turns.ts';
import { connectReader, identityOf } from './connection.ts';
import { atWork, unpackEach } from './errors.ts';
import { bytesOfAsked } from './statements.ts';
import { Thread } from './thread.ts';
import { isProof, isRun, runTransaction, withinOf, type Writes, writeTogether } from './transaction.ts';
import { type FoundRows, Prepared, resultOf, rowOf } from './values.ts';

/**
 * A batch of this many rows takes 10 ms on a fast disk, so that other processes have half of the time. A process that
 * waits polls the lock, in the end only every 100 ms: with a small share, it would wait for seconds.
 */
const YIELDING = { maxItems: 4096, pauseMs: 10 };
/** A message to a reading thread has many queries. While one of them is long, another thread runs those that came later. */
const READING = { maxItems: 64, maxActive: 8, stuckMs: 20, maxWaitMs: STORE_PATIENCE_MS / 2 };
/** Limits the memory, as the text of a query may depend on a request. */
const MAX_SLOW = 200;

export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/** Starts a thread that writes. The first query of an operation starts another thread that reads. */
export async function openSqlite(
  layout: Layout,
  { path }: SqliteLocation,
  { create, observer, yields = false }: Opening,
): Promise<Engine> {
  const writer = new Thread({ layout, path, mode: create ? 'create' : 'write' });
  const schema = (await writer.opened) as StoreSchema;
  const identity = identityOf(path);
  const writes: Writes = new Queue({
    work: (items, _until, more) => writeTogether(writer, items, more, observer),
    isProof,
    bytesOf: (item) => (isRun(item) ? 0 : bytesOfAsked(item)),
    ...(yields && YIELDING),
  });
  /** One transaction at a time writes. */
  const turns = new Turns(1, STORE_PATIENCE_MS);
  const idleReaders: Thread[] = [];
  // The texts of queries that were in a long message: each gets a message of its own, until such a message is short.
  const slow = new Set<string>();
  const reads = new Queue<Statement, FoundRows>({
    work: async (statements) => {
      const begunAt = performance.now();
      try {
        return await withReader(async (reader) => unpackEach(await reader.call('read', statements)));
      } finally {
        const isSlow = performance.now() - begunAt > READING.stuckMs;
        for (const { sql } of statements) {
          slow.delete(sql);
          if (isSlow) slow.add(sql);
        }
        for (const oldest of [...slow].slice(0, -MAX_SLOW)) slow.delete(oldest);
      }
    },
    isAlone: ({ sql }) => slow.has(sql),
    ...READING,
  });
  // A queue of its own, so that no look-up shares a message with a long query.
  const lookUps = new Queue<LookUp, readonly unknown[] | undefined>({
    work: (keys) => withReader(async (reader) => unpackEach(await reader.call('lookUp', keys))),
    ...READING,
  });
  const formats = formatsOf(layout.tables, RowFormat);
  const withReader = async <T>(work: (reader: Thread) => Promise<T>): Promise<T> => {
    const reader = idleReaders.pop() ?? (await openReader());
    try {
      return await work(reader);
    } finally {
      if (!reader.hasEnded) idleReaders.push(reader);
    }
  };
  let isClosed = false;
  const openReader = async () => {
    if (isClosed) throw new StoreUnavailable('the store is closed');
    const thread = new Thread({ layout, path, mode: 'read', identity });
    await thread.opened;
    return thread;
  };
  const writing = withinOf((asked) => writes.add(asked));
  const transactions = new Set<Promise<unknown>>();
  return {
    opened: Promise.resolve(schema),
    create: writing.create,
    get: async (lookUp) => {
      const { columns, kinds } = ofTable(formats, lookUp[0]);
      const values = await lookUps.add(lookUp);
      return values && rowOf({ names: columns, kinds }, values, undefined);
    },
    gauges: [{ ...WAITING, value: () => writes.length + turns.length }, ...diskGauges(dirname(realpathSync(path)))],
    spread: () => [],
    run: async (statement) => (statement.writes ? await writing.run(statement) : resultOf(await reads.add(statement))),
    runShort: async (statement) =>
      statement.writes ? await writing.run(statement) : resultOf(await writer.call('readShort', statement)),
    transaction: async (work) => {
      const running = runTransaction(writes, turns, work);
      transactions.add(running);
      return await running.finally(() => transactions.delete(running));
    },
    portions: (statement, rows) => readPortions(layout.tables, path, statement, rows),
    ready: () => writes.ask((failed) => writer.call('ready', failed && isRun(failed) ? failed.wrote : failed)),
    close: async () => {
      await Promise.allSettled(transactions);
      await writes.idle();
      await reads.idle();
      await lookUps.idle();
      isClosed = true;
      await Promise.all(idleReaders.map((reader) => reader.close()));
      // The writer closes last: SQLite merges the log into the database when the last connection closes, and a reader
      // cannot write.
      await writer.close();
    },
  };
}

/** The gauges of the file system of a folder. */
function diskGauges(folder: string): readonly Measured[] {
  const bytes = async (blocks: 'bavail' | 'blocks') => {
    const found = await statfs(folder);
    return found[blocks] * found.bsize;
  };
  const disk = 'of the file system of the store; NaN if unknown.';
  return [
    { name: 'disk_free_bytes', help: `Free space ${disk}`, value: () => bytes('bavail') },
    { name: 'disk_size_bytes', help: `Size ${disk}`, value: () => bytes('blocks') },
  ];
}

/** A statement reads one snapshot from its first row to its last. */
async function* readPortions(
  tables: Tables,
  path: string,
  { sql, values }: Statement,
  size: number,
): AsyncGenerator<readonly AnyRow[]> {
  try {
    using reader = connectReader(path);
    let portion: AnyRow[] = [];
    for (const row of new Prepared(tables, reader, sql).iterate(values)) {
      portion.push(row);
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
