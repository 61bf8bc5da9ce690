import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../src/contract/int64.ts';
import type { StoredPlant } from '../../src/storage/store.ts';
import { type Service, startService } from '../support/service.ts';
import { clock } from '../support/slow-disk.ts';
import { Client } from './clients.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { createPlace, readPlants, until } from './place.ts';
import { type Counts, type Extent, Fault, random, type Scenario } from './scenario.ts';
import { notSlowed, requireFlush, SLOW_MS, type SlowDisk, slowDisk } from './slow-disk.ts';

/** How many plants are under way at a time, and from how many clients each comes. */
const PLANTS = 64;
const CLIENTS = 2;
/** How many plants are under way when the service is killed. */
const UNDER_WAY = 8;

/** An acknowledgement waits for the disk, also that of a plant that another request is just storing. */
export const slowFlushes: Scenario = {
  name: `each fsync takes ${SLOW_MS} ms, and each plant is sent by two clients at once`,
  engine: 'SQLite',
  impossible: notSlowed,
  async run({ long, seed }: Extent): Promise<Counts> {
    const plants = long ? 20_000 : 400;
    const newPlant = randomPlants(random(seed));
    await using place = await createPlace('SQLite');
    const disk = slowDisk(place.url);
    const service = await startService({ ...disk.environment, DATABASE_URL: place.url });
    using clients = new DisposableStack();
    const senders = Array.from({ length: CLIENTS }, () => clients.use(new Client(place.token)));
    const ledger = new Ledger();
    const answers: { plant: StoredPlant; from: number; to: number }[] = [];
    let sent = 0;
    const load = Array.from({ length: PLANTS }, async () => {
      while (sent++ < plants) {
        const plant = newPlant();
        const from = clock();
        const pair = senders.map(async (client) => {
          ledger.add(plant);
          const answer = await client.create(service.url, plant);
          const to = clock();
          if (answer === 'lost' || answer === 'unavailable') throw new Fault(`a slow disk made a request ${answer}`);
          ledger.answer(plant, answer, false);
          answers.push({ plant, from, to });
        });
        await Promise.all(pair);
      }
    });
    await Promise.all(load);
    service.child.kill('SIGKILL');
    await service.ended;
    const flushes = disk.flushes(service.child.pid);
    for (const { plant, from, to } of answers) {
      requireFlush(flushes, exactJson(plant), from, to);
      if (to - from < SLOW_MS) throw new Fault(`${exactJson(plant)} was acknowledged in ${(to - from).toFixed(1)} ms`);
    }
    ledger.check(await readPlants(place.url));
    const quickest = Math.floor(Math.min(...answers.map(({ from, to }) => to - from)));
    return { acknowledged: answers.length, fsyncs: flushes.length, 'ms until the earliest answer': quickest, lost: 0 };
  },
};

/** What a killed process left behind can be seen before it is on disk; it is not acknowledged before it is. */
export const killsInFlushes: Scenario = {
  name: `the service is killed (-9) inside an fsync of ${SLOW_MS} ms, restarted, and asked at once`,
  engine: 'SQLite',
  impossible: notSlowed,
  async run({ long, seed }: Extent): Promise<Counts> {
    const rounds = long ? 50 : 3;
    const next = random(seed);
    const newPlant = randomPlants(next);
    await using place = await createPlace('SQLite');
    const disk = slowDisk(place.url);
    using client = new Client(place.token);
    const ledger = new Ledger();
    const environment = { ...disk.environment, DATABASE_URL: place.url };
    const restart = () => startService(environment, undefined, undefined, 'listening');
    const counts = { kills: 0, 'created again': 0, replayed: 0, 'early answers': 0 };
    let service = await restart();
    for (; counts.kills < rounds; counts.kills++) {
      const plants = Array.from({ length: UNDER_WAY }, newPlant);
      const answers = plants.map(async (plant) => {
        ledger.add(plant);
        ledger.answer(plant, await client.create(service.url, plant), false);
      });
      // The first fsync covers the first plant, the second one the others.
      await inFlush(disk, service, clock(), next() < 0.5 ? 1 : 2, Promise.all(answers));
      await sleep(next() * SLOW_MS * 0.8);
      service.child.kill('SIGKILL');
      await Promise.all([...answers, service.ended]);
      const restarted = clock();
      service = await restart();
      for (const answer of await sendAgain(client, service, disk, ledger, plants, restarted)) counts[answer]++;
    }
    service.child.kill('SIGKILL');
    await service.ended;
    ledger.check(await readPlants(place.url));
    if (counts.replayed === 0) throw new Error('no plant was left behind unflushed: no kill hit an fsync');
    return counts;
  },
};

/** Waits until the service is inside the nth fsync after a time, or all is over without one. */
async function inFlush(
  disk: SlowDisk,
  { child }: Service,
  from: number,
  nth: number,
  answers: Promise<unknown>,
): Promise<void> {
  let over = false;
  const begun = () => disk.flushes(child.pid).filter(({ begin }) => begin >= from).length >= nth;
  await Promise.race([answers, until(() => Promise.resolve(over || begun()), 5)]);
  over = true;
}

async function sendAgain(
  client: Client,
  { url, child }: Service,
  disk: SlowDisk,
  ledger: Ledger,
  plants: readonly StoredPlant[],
  restarted: number,
): Promise<('created again' | 'replayed')[]> {
  const answers = plants.map(async (plant) => {
    const known = ledger.add(plant);
    const from = clock();
    const answer = await client.create(url, plant);
    const to = clock();
    if (answer !== 'created' && answer !== 'replayed') throw new Fault(`after a restart the answer is: ${answer}`);
    ledger.answer(plant, answer, known);
    // Any fsync of this process covers what the former one wrote; what this one writes takes one that comes later.
    requireFlush(
      disk.flushes(child.pid),
      `${answer}: ${exactJson(plant)}`,
      answer === 'created' ? from : restarted,
      to,
    );
    return answer === 'created' ? 'created again' : answer;
  });
  return await Promise.all(answers);
}
