import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { Client } from './clients.ts';
import { type Found, Ledger, randomPlants } from './ledger.ts';
import { Load } from './load.ts';
import { addToken, readPlants } from './place.ts';
import { type Counts, type Extent, random, type Scenario } from './scenario.ts';

const CLIENTS = 16;
/** How long the load goes on, at most, before the server is killed, and after, in milliseconds. */
const LONGEST_MS = 1000;
/** How long the standby is cut off, at most, before the primary is lost. */
const CUT_OFF_MS = 500;

/** The server is killed and comes back, while two instances go on. */
export const serverKills: Scenario = {
  name: 'PostgreSQL is killed (-9) under load, and restarted, with two instances on it',
  engine: 'PostgreSQL',
  async run({ long, seed }: Extent): Promise<Counts> {
    const next = random(seed);
    const ledger = new Ledger();
    await using server = await PostgresServer.create();
    const url = server.url(await server.createDatabase());
    using client = new Client(await addToken(url));
    const services = await Promise.all([1, 2].map(() => startService({ DATABASE_URL: url })));
    using load = new Load(
      CLIENTS,
      services.map((each) => each.url),
      client,
      ledger,
      randomPlants(next),
    );
    let kills = 0;
    for (; kills < (long ? 50 : 3); kills++) {
      await sleep(next() * LONGEST_MS);
      await server.kill();
      await server.start();
    }
    await sleep(LONGEST_MS);
    await load.stop();
    const found = ledger.check(await readPlants(url));
    await Promise.all(services.map(({ stop }) => stop()));
    return { kills, acknowledged: load.acknowledged, 'answers 503 or none': load.failures, ...found };
  },
};

/** The primary is lost, its synchronous standby is promoted, and two instances go on without a restart. */
export const failovers: Scenario = {
  name: 'the primary is killed (-9) under load, its synchronous standby is promoted, with two instances on them',
  engine: 'PostgreSQL',
  async run({ long, seed }: Extent): Promise<Counts> {
    const next = random(seed);
    const counts = { failovers: 0, acknowledged: 0, 'answers 503 or none': 0, lost: 0, phantoms: 0 };
    for (; counts.failovers < (long ? 20 : 1); counts.failovers++) {
      const { load, lost, phantoms } = await failOver(next);
      counts.acknowledged += load.acknowledged;
      counts['answers 503 or none'] += load.failures;
      counts.lost += lost;
      counts.phantoms += phantoms;
    }
    return counts;
  },
};

async function failOver(next: () => number): Promise<Found & { readonly load: Load }> {
  await using primary = await PostgresServer.create();
  const database = await primary.createDatabase();
  const token = await addToken(primary.url(database));
  await using standby = await primary.createStandby();
  primary.set({ synchronous_standby_names: 'standby' });
  primary.reload();
  await primary.until("select 1 from pg_stat_replication where sync_state = 'sync'");
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  const url = `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
  const ledger = new Ledger();
  using client = new Client(token);
  const services = await Promise.all([1, 2].map(() => startService({ DATABASE_URL: url })));
  using load = new Load(
    CLIENTS,
    services.map((each) => each.url),
    client,
    ledger,
    randomPlants(next),
  );
  await sleep(next() * LONGEST_MS + 100);
  // From here on the standby gets nothing, and nothing may be acknowledged.
  const [sender] = await primary.query('select pid from pg_stat_replication');
  process.kill(Number(sender?.['pid']), 'SIGSTOP');
  await sleep(next() * CUT_OFF_MS);
  await primary.kill();
  await sleep(next() * LONGEST_MS);
  await standby.promote();
  await sleep(LONGEST_MS);
  await load.stop();
  const found = ledger.check(await readPlants(standby.url(database)));
  await Promise.all(services.map(({ stop }) => stop()));
  return { load, ...found };
}
