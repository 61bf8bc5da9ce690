import { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../src/contract/int64.ts';
import { PATIENCE_MS } from '../../src/storage/batches.ts';
import { startService } from '../support/service.ts';
import { Client } from './clients.ts';
import { requireCalm } from './disturbance.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { Load } from './load.ts';
import { createPlace, readPlants } from './place.ts';
import { type Counts, type Extent, Fault, random, type Scenario } from './scenario.ts';

const CLIENTS = 64;
/** How long the store waits for the lock, in milliseconds (connection.ts). */
const LOCK_MS = 2000;
/** A request waits for its token behind a batch that waits for the lock, for its turn, and with its own batch. */
const BOUND_MS = LOCK_MS + PATIENCE_MS + LOCK_MS;
/** What a machine that has other things to do may add. */
const SLACK_MS = 1000;

/** Another process, this one, holds the write lock for longer than anybody waits. */
export const heldLock: Scenario = {
  name: 'another process holds the write lock for longer than a request waits, under load',
  engine: 'SQLite',
  async run({ long, seed }: Extent): Promise<Counts> {
    const [rounds, holdMs] = long ? [20, 10_000] : [1, 4500];
    const newPlant = randomPlants(random(seed));
    await using place = await createPlace('SQLite');
    const service = await startService({ DATABASE_URL: place.url });
    // Whatever is found: a service that is gone ends whoever still sends.
    using _end = { [Symbol.dispose]: () => service.child.kill('SIGKILL') };
    using client = new Client(place.token);
    using other = new DatabaseSync(place.url.slice('sqlite:'.length), { timeout: PATIENCE_MS });
    const ledger = new Ledger();
    const counts = { locks: 0, 'answers 503': 0, acknowledged: 0, 'ms until the latest answer': 0, lost: 0 };
    for (; counts.locks < rounds; counts.locks++) {
      let [held, released] = [true, Infinity];
      const send = async (): Promise<void> => {
        const plant = newPlant();
        for (let stored = false; held || !stored;) {
          const start = performance.now();
          const known = ledger.add(plant);
          const answer = await client.create(service.url, plant);
          ledger.answer(plant, answer, known);
          const ms = Math.ceil(performance.now() - start);
          if (ms > BOUND_MS + SLACK_MS) throw new Fault(`${exactJson(plant)} was answered after ${ms} ms`);
          if (answer === 'lost') throw new Fault('a request was cut off');
          counts['ms until the latest answer'] = Math.max(counts['ms until the latest answer'], ms);
          stored = answer !== 'unavailable';
          if (!stored) counts['answers 503']++;
          if (!stored && !held && start > released) throw new Fault('a 503 although nobody holds the lock');
        }
      };
      other.exec('begin immediate');
      const load = Promise.all(Array.from({ length: CLIENTS }, send));
      await Promise.race([load, sleep(holdMs)]);
      other.exec('rollback');
      [held, released] = [false, performance.now()];
      await load;
      await requireCalm(new Load(CLIENTS, [service.url], client, ledger, newPlant));
    }
    if (counts['answers 503'] === 0) throw new Fault('no 503 while the store could not be written');
    await service.stop();
    ledger.check(await readPlants(place.url));
    return { ...counts, acknowledged: ledger.acknowledged };
  },
};
