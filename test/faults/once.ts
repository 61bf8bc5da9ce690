import { startService } from '../support/service.ts';
import { Client } from './clients.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { createPlace, readPlants } from './place.ts';
import { type Counts, type Extent, Fault, onBoth, random, type Scenario } from './scenario.ts';

const CLIENTS = 64;
const CONTENTS = 4;
/** What share of the requests is broken off, and how long after they were sent, at most, in milliseconds. */
const BROKEN = 0.05;
const BROKEN_MS = 10;

/** Many clients want the same ids for different contents, break off, and try again, on two instances. */
export const once = onBoth('many clients fight for few ids on two instances', run);

async function run(engine: Scenario['engine'], { long, seed }: Extent): Promise<Counts> {
  const [creates, ids] = long ? [100_000, 1000] : [4000, 100];
  const next = random(seed);
  const newPlant = randomPlants(next);
  const wanted = Array.from({ length: ids }, newPlant);
  await using place = await createPlace(engine);
  const services = await Promise.all([1, 2].map(() => startService({ DATABASE_URL: place.url })));
  using client = new Client(place.token);
  const ledger = new Ledger();
  const counts = { creates: 0, ids, won: 0, replayed: 0, refused: 0, 'broken off': 0 };
  const send = async (): Promise<void> => {
    while (counts.creates < creates) {
      counts.creates++;
      const plant = wanted[Math.floor(next() * ids)];
      const service = services[Math.floor(next() * services.length)];
      if (plant === undefined || service === undefined) return;
      const content = { ...plant, name: `content ${Math.floor(next() * CONTENTS)}` };
      const known = ledger.add(content);
      const answer = await client.create(service.url, content, next() < BROKEN ? next() * BROKEN_MS : undefined);
      if (answer === 'unavailable') throw new Fault('a store that nobody disturbs is unavailable');
      ledger.answer(content, answer, known);
      counts[ANSWERS[answer]]++;
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, send));
  const stored = await readPlants(place.url);
  ledger.check(stored);
  if (stored.length !== ids) throw new Fault(`${stored.length} plants are stored under ${ids} ids`);
  if (counts.won > ids) throw new Fault(`${counts.won} creates won ${ids} ids`);
  await Promise.all(services.map(({ stop }) => stop()));
  return counts;
}

const ANSWERS = { created: 'won', replayed: 'replayed', conflict: 'refused', lost: 'broken off' } as const;
