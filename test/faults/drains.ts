import { setTimeout as sleep } from 'node:timers/promises';
import { startService } from '../support/service.ts';
import { Client, toAnswer } from './clients.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { createPlace, type Place, readPlants, until } from './place.ts';
import { type Counts, type Extent, Fault, onBoth, random, type Scenario } from './scenario.ts';

const CLIENTS = 4;
/** How many connections each client keeps, and how long all are in use, at most, when the service is told to stop. */
const CONNECTIONS = 16;
const LONGEST_MS = 400;

/** The service is told to stop while clients send without a pause: each request is answered that is sent on a kept connection. */
export const drains = onBoth('the service is told to stop (SIGTERM) under load from connections that are kept', run);

async function run(engine: Scenario['engine'], { long, seed }: Extent): Promise<Counts> {
  const next = random(seed);
  const newPlant = randomPlants(next);
  const ledger = new Ledger();
  await using place = await createPlace(engine);
  const counts = { stops: 0, acknowledged: 0, 'after the signal': 0, 'connections refused': 0, 'cut off': 0, lost: 0 };
  for (; counts.stops < (long ? 50 : 3); counts.stops++) {
    const { late, refused } = await stopOnce(place, ledger, newPlant, next() * LONGEST_MS);
    counts['after the signal'] += late;
    counts['connections refused'] += refused;
  }
  ledger.check(await readPlants(place.url));
  return { ...counts, acknowledged: ledger.acknowledged };
}

async function stopOnce(
  place: Place,
  ledger: Ledger,
  newPlant: ReturnType<typeof randomPlants>,
  afterMs: number,
): Promise<{ late: number; refused: number }> {
  const service = await startService({ DATABASE_URL: place.url });
  using clients = new DisposableStack();
  // Whatever is found: a service that is gone ends whoever still sends.
  clients.defer(() => service.child.kill('SIGKILL'));
  let told = false;
  let [late, refused, taken] = [0, 0, 0];
  /** Sends until a new connection is refused, as its own one was closed in order. */
  const send = async (client: Client): Promise<void> => {
    for (let sent = 0; ; sent++) {
      const plant = newPlant();
      const known = ledger.add(plant);
      const reply = await client.send(service.url, plant);
      if ('error' in reply) {
        // Only a new connection can be refused: of its request nothing was sent.
        if (!told || reply.error.code !== 'ECONNREFUSED')
          throw new Fault(`a request was cut off: ${reply.error.message}, ${told ? 'after' : 'before'} the signal`);
        refused++;
        return;
      }
      const answer = toAnswer(plant, reply);
      if (answer === 'unavailable') throw new Fault('a store that nobody disturbs is unavailable');
      ledger.answer(plant, answer, known);
      if (told) late++;
      if (sent === 0) taken++;
    }
  };
  const load = Array.from({ length: CLIENTS }, () => {
    const client = clients.use(new Client(place.token));
    return Array.from({ length: CONNECTIONS }, () => send(client));
  });
  const all = load.flat();
  let broken = false;
  const sent = Promise.all(all).finally(() => (broken = !told));
  // A connection that the system has made, and the service has not taken yet, is reset by the system: nobody keeps it.
  await Promise.race([sent, until(() => Promise.resolve(broken || taken === all.length))]);
  await Promise.race([sent, sleep(afterMs)]);
  told = true;
  const code = await service.stop();
  await sent;
  if (code !== 0) throw new Fault(`the service ended with ${String(code)}: ${service.stderr()}`);
  return { late, refused };
}
