import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Batches } from '../batches.ts';
import type { Creation, Opening, Outcome, PlantStore, Schema, Store, StoredPlant, TokenStore } from '../store.ts';
import { bytesOf, toPlant } from '../columns.ts';
import { connectReader } from './connection.ts';
import { atWork, unpack } from './errors.ts';
import { COUNT_SOME, SELECT_ALL, toValues } from './plants.ts';
import type { Tables } from './tables.ts';
import { inTurns } from './turns.ts';
import type { Answer, Method, PackedOutcome, WorkerOpening } from './worker.ts';

/** A file, such as `sqlite:data/plants.db`. */
export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/** How many plants `list` hands out at a time. */
const PORTION = 1000;
/** How many are counted at a time, which takes a millisecond or two. */
const COUNTED = 20_000;
const [FIRST_ID, LAST_ID] = [-(2n ** 63n), 2n ** 63n - 1n];

type Result<M extends Method> = M extends 'create' ? readonly PackedOutcome[] : ReturnType<Tables[M]>;

/**
 * SQLite in a file, through one worker thread (worker.ts) that writes in batches.
 *
 * @throws StoreUnusable
 */
export async function openSqlite({ path }: SqliteLocation, { create, observer }: Opening): Promise<Store> {
  const worker = new Thread({ path, create });
  await worker.opened;
  const batches = new Batches<StoredPlant, Creation>(
    {
      write: (plants) => createAll(worker, plants),
      weigh: bytesOf,
      // One thread writes.
      atOnce: 1,
    },
    observer,
  );
  return {
    plants: plantStore(path, worker, batches),
    tokens: tokenStore(worker),
    opened: worker.opened,
    waiting: () => batches.length,
    ready: () => worker.call('ready'),
    close: async () => {
      await batches.idle();
      await worker.close();
    },
  };
}

function plantStore(path: string, worker: Thread, batches: Batches<StoredPlant, Creation>): PlantStore {
  return {
    create: (plant) => batches.add(plant),
    createAll: inTurns(
      (plants) => createAll(worker, plants),
      () => worker.call('othersWrote'),
    ),
    count: () => countPlants(path),
    remove: (id) => worker.call('remove', id),
    async *list() {
      const reader = connectReader(path);
      try {
        // One statement is one snapshot, for as long as it runs.
        const rows = reader.prepare(SELECT_ALL);
        rows.setReadBigInts(true);
        let portion: StoredPlant[] = [];
        for (const row of rows.iterate()) {
          portion.push(toPlant(row));
          if (portion.length < PORTION) continue;
          yield portion;
          portion = [];
          // Reading stops this thread: whatever else it has to do gets its turn.
          await setImmediate();
        }
        yield portion;
      } catch (error) {
        throw atWork(error);
      } finally {
        reader.close();
      }
    },
  };
}

/** Portion by portion: all at once would stop this thread, or the one that writes, for 10 ms a million. */
async function countPlants(path: string): Promise<number> {
  const reader = connectReader(path);
  try {
    const statement = reader.prepare(COUNT_SOME);
    statement.setReadBigInts(true);
    let plants = 0;
    for (let from = FIRST_ID; ;) {
      // A row of count() and max(), which are integers; the last id of none is null.
      const row = statement.get(from, COUNTED) as { plants: bigint; last: bigint | null };
      plants += Number(row.plants);
      if (row.plants < COUNTED || row.last === null || row.last === LAST_ID) return plants;
      from = row.last + 1n;
      await setImmediate();
    }
  } catch (error) {
    throw atWork(error);
  } finally {
    reader.close();
  }
}

function tokenStore(worker: Thread): TokenStore {
  return {
    find: (hash) => worker.call('findToken', hash),
    add: (token) => worker.call('addToken', token),
    addFirst: (token) => worker.call('addFirstToken', token),
    list: () => worker.call('listTokens'),
    revoke: (name) => worker.call('revokeToken', name),
    delete: (hash) => worker.call('deleteToken', hash),
  };
}

async function createAll(worker: Thread, plants: readonly StoredPlant[]): Promise<Outcome<Creation>[]> {
  const outcomes = await worker.call('create', toValues(plants));
  return outcomes.map((each) => (typeof each === 'string' ? { result: each } : { error: unpack(each) }));
}

/** The worker thread as seen from this one: calls go in, answers come back in the same order. */
class Thread {
  readonly opened: Promise<Schema>;
  private readonly worker: Worker;
  private readonly pending: { resolve: (result: unknown) => void; reject: (error: unknown) => void }[] = [];

  constructor(opening: WorkerOpening) {
    this.worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: opening });
    this.opened = this.answer() as Promise<Schema>;
    this.worker.on('message', (answer: Answer) => {
      const caller = this.pending.shift();
      if ('error' in answer) caller?.reject(unpack(answer.error));
      else caller?.resolve(answer.result);
    });
    this.worker.on('error', (error) => {
      for (const { reject } of this.pending.splice(0)) reject(error);
      // A thread that died of an unforeseen error leaves a store that cannot be trusted: the process must start anew.
      throw error;
    });
  }

  call<M extends Method>(method: M, ...args: Parameters<Tables[M]>): Promise<Result<M>> {
    this.worker.postMessage({ method, args });
    return this.answer() as Promise<Result<M>>;
  }

  async close(): Promise<void> {
    const exit = once(this.worker, 'exit');
    await this.call('close');
    await exit;
  }

  private answer(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      this.pending.push({ resolve, reject });
    });
  }
}
