import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredPlant } from '../../src/storage/store.ts';
import { startService } from '../support/service.ts';
import { Client } from './clients.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { createPlace, readPlants } from './place.ts';
import { type Counts, type Extent, Fault, onBoth, random, type Scenario } from './scenario.ts';

/** Clients that send at the same time, and how long they do, at most, before the service is killed. */
const CLIENTS = 16;
const LONGEST_MS = 400;
/** How many plants of each round are sent again after the restart, and how many with another content. */
const REPEATED = 100;
const CHANGED = 10;

/** Kills the service under load, starts it again, and sends again what it was sent. */
export const kills = onBoth('the service is killed (-9) under load, again and again', run);

async function run(engine: Scenario['engine'], { long, seed }: Extent): Promise<Counts> {
  const rounds = long ? 1000 : 20;
  const next = random(seed);
  const ledger = new Ledger();
  const newPlant = randomPlants(next);
  await using place = await createPlace(engine);
  const counts = { kills: 0, sent: 0, acknowledged: 0, 'sent again': 0 };
  let last: StoredPlant[] = [];
  for (let round = 0; round <= rounds; round++) {
    const service = await startService({ DATABASE_URL: place.url });
    using client = new Client(place.token);
    counts['sent again'] += await sendAgain(client, service.url, ledger, last);
    last = [];
    if (round < rounds) {
      const over = new AbortController();
      const load = Array.from({ length: CLIENTS }, async () => {
        while (!over.signal.aborted) {
          const plant = newPlant();
          last.push(plant);
          const known = ledger.add(plant);
          ledger.answer(plant, await client.create(service.url, plant), known);
        }
      });
      await sleep(next() * LONGEST_MS);
      service.child.kill('SIGKILL');
      over.abort();
      await Promise.all(load);
      counts.kills++;
      counts.sent += last.length;
    }
    service.child.kill('SIGKILL');
    await service.ended;
  }
  return { ...counts, acknowledged: ledger.acknowledged, ...ledger.check(await readPlants(place.url)) };
}

/** After a restart every retry gets a true answer. */
async function sendAgain(client: Client, url: string, ledger: Ledger, plants: readonly StoredPlant[]): Promise<number> {
  // The last ones were under way when the service was killed.
  const again = plants.slice(-REPEATED);
  const changed = again.slice(-CHANGED).map((plant) => ({ ...plant, tag: 'changed' }));
  for (const batch of [again, changed]) {
    const answers = batch.map(async (plant) => {
      const known = ledger.add(plant);
      const answer = await client.create(url, plant);
      if (answer === 'lost' || answer === 'unavailable')
        throw new Fault(`a service that nobody kills answers ${answer}`);
      ledger.answer(plant, answer, known);
    });
    await Promise.all(answers);
  }
  return again.length + changed.length;
}
