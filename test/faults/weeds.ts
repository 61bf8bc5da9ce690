import { DatabaseSync } from 'node:sqlite';
import { exactJson } from '../../src/contract/int64.ts';
import { startService } from '../support/service.ts';
import { Client } from './clients.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { createPlace, type Place, readPlants } from './place.ts';
import { type Counts, type Extent, Fault, onBoth, random, type Scenario } from './scenario.ts';

const CLIENTS = 4;
/** How many requests each client has under way, and what share of them cannot be stored. */
const AT_ONCE = 64;
const WEEDS = 0.02;

/** Plants that an operator's constraint refuses, among others that are written together with them. */
export const weeds = onBoth('one plant in fifty is refused by a constraint that an operator added', run);

async function run(engine: Scenario['engine'], { long, seed }: Extent): Promise<Counts> {
  const plants = long ? 200_000 : 3000;
  const next = random(seed);
  const newPlant = randomPlants(next);
  await using place = await createPlace(engine);
  await refuseWeeds(place);
  const service = await startService({ DATABASE_URL: place.url });
  using clients = new DisposableStack();
  const ledger = new Ledger();
  const counts = { sent: 0, acknowledged: 0, weeds: 0, 'weeds answered with 500': 0, lost: 0 };
  const send = async (client: Client): Promise<void> => {
    while (counts.sent++ < plants) {
      const plant = newPlant();
      if (next() < WEEDS) {
        counts.weeds++;
        const weed = { ...plant, name: 'weed' };
        if (!(await client.fails(service.url, weed))) throw new Fault(`${exactJson(weed)} was not answered with 500`);
        counts['weeds answered with 500']++;
      } else {
        const known = ledger.add(plant);
        const answer = await client.create(service.url, plant);
        if (answer !== 'created') throw new Fault(`${exactJson(plant)} was ${answer}`);
        ledger.answer(plant, answer, known);
      }
    }
  };
  const load = Array.from({ length: CLIENTS }, () => {
    const client = clients.use(new Client(place.token));
    return Array.from({ length: AT_ONCE }, () => send(client));
  });
  await Promise.all(load.flat());
  await service.stop();
  // A weed that is stored would be a phantom: the ledger knows of none.
  ledger.check(await readPlants(place.url));
  return { ...counts, sent: plants, acknowledged: ledger.acknowledged };
}

async function refuseWeeds({ url, server }: Place): Promise<void> {
  if (server === undefined) {
    using database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(`create trigger no_weeds before insert on plants when new.name = 'weed'
      begin select raise(abort, 'a weed'); end`);
  } else {
    const name = new URL(url).pathname.slice(1);
    await server.query("alter table plants add constraint no_weeds check (name <> 'weed')", name);
  }
}
