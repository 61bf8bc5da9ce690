import { once } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { Batches } from '../batches.ts';
import { COLUMN_LIST, toPlant } from '../columns.ts';
import {
  observed,
  type Opening,
  type Outcome,
  type PlantStore,
  type Schema,
  type Store,
  type StoredPlant,
  type StoreObserver,
  type TokenStore,
} from '../store.ts';
import { connectReader } from './connection.ts';
import { atWork, unpack } from './errors.ts';
import type { Tables } from './tables.ts';
import { inTurns } from './turns.ts';
import type { Answer, Call, WorkerOpening } from './worker.ts';

/** A file, such as `sqlite:data/plants.db`. */
export interface SqliteLocation {
  readonly engine: 'sqlite';
  readonly path: string;
}

/** How many plants `list` hands out at a time. */
const PORTION = 1000;
/** How many plants `count` counts at a time, which takes a millisecond or two. */
const COUNT_PORTION = 20_000;
const [FIRST_ID, LAST_ID] = [-(2n ** 63n), 2n ** 63n - 1n];
const SELECT_ALL = `select ${COLUMN_LIST} from plants order by id`;
/** Counts the plants from an id on, as many as a portion has, and tells the last one of them. */
const COUNT_SOME =
  'select count(*) as plants, max(id) as last from (select id from plants where id >= ? order by id limit ?)';

/**
 * SQLite in a file, through one worker thread (worker.ts) that writes in batches.
 *
 * @throws StoreUnusable
 */
export async function openSqlite({ path }: SqliteLocation, { create, observer }: Opening): Promise<Store> {
  const worker = new Thread({ path, create });
  await worker.opened;
  // One batch at once, as one thread writes.
  const batches = new Batches((plants) => createBatch(worker, plants), 1, observer);
  return {
    plants: plantStore(path, worker, batches),
    tokens: tokenStore(worker, observer),
    opened: worker.opened,
    waiting: () => batches.length,
    ready: () => worker.call('ready'),
    close: async () => {
      await batches.idle();
      await worker.close();
    },
  };
}

function plantStore(path: string, worker: Thread, batches: Batches): PlantStore {
  return {
    create: (plant) => batches.add(plant),
    createAll: inTurns(
      (plants) => createBatch(worker, plants),
      () => worker.call('othersWrote'),
    ),
    list: () => listPlants(path),
    count: () => countInPortions(path),
    remove: (id) => worker.call('remove', id),
  };
}

async function* listPlants(path: string): AsyncGenerator<readonly StoredPlant[]> {
  try {
    using reader = connectReader(path);
    let portion: StoredPlant[] = [];
    // One statement is one snapshot, for as long as it runs.
    for (const row of reader.prepare(SELECT_ALL).iterate()) {
      portion.push(toPlant(row));
      if (portion.length < PORTION) continue;
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

/** A count of all at once would stop this thread, or the one that writes, for 10 ms a million. */
async function countInPortions(path: string): Promise<number> {
  try {
    using reader = connectReader(path);
    const statement = reader.prepare(COUNT_SOME);
    let plants = 0;
    for (let from = FIRST_ID; ;) {
      // A row of count() and max(), which are integers; the last id of none is null.
      const row = statement.get(from, COUNT_PORTION) as { plants: bigint; last: bigint | null };
      plants += Number(row.plants);
      if (row.plants < COUNT_PORTION || row.last === null || row.last === LAST_ID) return plants;
      from = row.last + 1n;
      await setImmediate();
    }
  } catch (error) {
    throw atWork(error);
  }
}

function tokenStore(worker: Thread, observer: StoreObserver | undefined): TokenStore {
  return {
    find: (hash) => observed(worker.call('findToken', hash), observer),
    add: (token) => worker.call('addToken', token),
    addFirst: (token) => worker.call('addFirstToken', token),
    list: () => worker.call('listTokens'),
    revoke: (name) => worker.call('revokeToken', name),
    delete: (hash) => worker.call('deleteToken', hash),
  };
}

async function createBatch(worker: Thread, plants: readonly StoredPlant[]): Promise<Outcome[]> {
  const outcomes = await worker.call('createBatch', plants);
  return outcomes.map((outcome) => (typeof outcome === 'string' ? outcome : unpack(outcome)));
}

/** The worker thread as seen from this one: calls go in, answers come back in the same order. */
class Thread {
  readonly opened: Promise<Schema>;
  private readonly worker: Worker;
  private readonly pending: PromiseWithResolvers<unknown>[] = [];

  constructor(opening: WorkerOpening) {
    this.worker = new Worker(new URL('./worker.ts', import.meta.url), { workerData: opening });
    this.opened = this.nextAnswer() as Promise<Schema>;
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

  call<M extends keyof Tables>(method: M, ...args: Parameters<Tables[M]>): Promise<ReturnType<Tables[M]>> {
    this.worker.postMessage({ method, args } satisfies Call);
    return this.nextAnswer() as Promise<ReturnType<Tables[M]>>;
  }

  async close(): Promise<void> {
    const exit = once(this.worker, 'exit');
    await this.call('close');
    await exit;
  }

  private nextAnswer(): Promise<unknown> {
    const answer = Promise.withResolvers<unknown>();
    this.pending.push(answer);
    return answer.promise;
  }
}
