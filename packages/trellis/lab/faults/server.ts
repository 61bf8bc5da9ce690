import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../test/support/clients.ts';
import { createPostgresPlace } from '../../test/support/place.ts';
import type { PostgresServer } from '../../test/support/postgres.ts';
import type { Program, Service } from '../../test/support/service.ts';
import { Testbed } from '../../test/support/testbed.ts';
import { until } from '../../test/support/until.ts';
import { type Counts, scenario } from './scenario.ts';
import type { Trial } from '../../test/support/trials.ts';

const CLIENTS = 32;
/** The longest time of load before and after a kill of the server, in milliseconds. */
const LONGEST_MS = 1000;
/** The longest time for which the standby is cut off before the primary is killed, in milliseconds. */
const CUT_OFF_MS = 500;

/** Clients that send requests until they are stopped. */
export interface Traffic extends Disposable {
  readonly acknowledged: number;
  /** Requests that got a 503 or no answer. */
  readonly failures: number;
  /** Whether a client has found a fault, which `stop` throws. */
  readonly broken: boolean;
  /** Resolves when each client has the answer to its last request. */
  stop(): Promise<void>;
  /** Lets the clients send again after `stop`. */
  resume(): void;
}

/** The load while a server fails. */
export interface Business<T extends Traffic = Traffic> {
  /** The beginning of the scenario's name; '' for the items. */
  readonly name: string;
  readonly program?: Program;
  begin(testbed: Testbed, services: readonly Pick<Service, 'url'>[]): Promise<T>;
  /** How many more requests are acknowledged before each kill, in a long round and in a short one. */
  readonly least: { readonly long: number; readonly short: number };
  /** How often a long round kills the server. */
  readonly kills: number;
  readonly failovers: number;
  /** Compares the store at the end with the answers that clients got. @throws Fault if they contradict each other */
  check(testbed: Testbed, traffic: T, url?: string): Promise<Counts>;
}

export const ITEMS_SENT: Business = {
  name: '',
  begin: (testbed, services) => Promise.resolve(testbed.load(CLIENTS, services)),
  least: { long: 0, short: 0 },
  kills: 50,
  failovers: 20,
  check: async (testbed, _load, url) => ({ ...(await testbed.check(url)) }),
};

const underLoad = async (traffic: Traffic, { least }: Pick<Business, 'least'>, long: boolean) => {
  const from = traffic.acknowledged;
  await until(() => traffic.acknowledged >= from + least[long ? 'long' : 'short'], 300_000);
};

export function killsOfServer<T extends Traffic>(business: Business<T>): Trial {
  const what = 'PostgreSQL is killed (-9) and restarted under load from two instances';
  return scenario(business.name + what, 'PostgreSQL', async ({ long, seed }) => {
    const place = await createPostgresPlace(undefined, business.program);
    await using testbed = new Testbed(place, seed);
    using traffic = await business.begin(testbed, await testbed.startTwo());
    let kills = 0;
    for (; kills < (long ? business.kills : 2); kills++) {
      await underLoad(traffic, business, long);
      await sleep(testbed.next() * LONGEST_MS);
      await place.server.kill();
      await place.server.start();
    }
    await sleep(LONGEST_MS);
    await traffic.stop();
    const { acknowledged, failures } = traffic;
    return { kills, 'answers 503 or none': failures, acknowledged, ...(await business.check(testbed, traffic)) };
  });
}

export function failoversOf<T extends Traffic>(business: Business<T>): Trial {
  const what = 'the primary is killed (-9) and its synchronous standby promoted, under load from two instances';
  return scenario(business.name + what, 'PostgreSQL', async ({ long, seed }) => {
    let sums: Counts = { failovers: 0 };
    for (let count = 0; count < (long ? business.failovers : 1); count++) {
      const counts = { failovers: 1, ...(await failOver(business, seed + count, long)) };
      sums = Object.fromEntries(Object.entries(counts).map(([name, each]) => [name, (sums[name] ?? 0) + each]));
    }
    return sums;
  });
}

export const serverKills = killsOfServer(ITEMS_SENT);
export const failovers = failoversOf(ITEMS_SENT);

async function failOver<T extends Traffic>(business: Business<T>, seed: number, long: boolean): Promise<Counts> {
  const place = await createPostgresPlace(undefined, business.program);
  const { server: primary, database } = place;
  await using standby = await primary.createStandby();
  primary.set({ synchronous_standby_names: 'standby' });
  primary.reload();
  await primary.until("select 1 from pg_stat_replication where sync_state = 'sync'");
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  const url = `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
  await using testbed = new Testbed({ ...place, url }, seed);
  const { next } = testbed;
  using traffic = await business.begin(testbed, await testbed.startTwo());
  await underLoad(traffic, business, long);
  await sleep(next() * LONGEST_MS + 100);
  // The standby now receives no changes, so the service may acknowledge no item.
  const [sender] = await primary.query('select pid from pg_stat_replication');
  process.kill(Number(sender?.['pid']), 'SIGSTOP');
  await sleep(next() * CUT_OFF_MS);
  await primary.kill();
  await sleep(next() * LONGEST_MS);
  await standby.promote();
  await sleep(LONGEST_MS);
  await traffic.stop();
  const { acknowledged, failures } = traffic;
  const found = await business.check(testbed, traffic, standby.url(database));
  return { acknowledged, 'answers 503 or none': failures, ...found };
}

/** How long the test checks that no answer comes, in milliseconds. */
const SILENCE_MS = 500;
const WAITING = "select 1 from pg_stat_activity where wait_event = 'SyncRep'";

/**
 * The server, the database and the role all set synchronous_commit = off. If a commit still waits for the standby, the
 * service has set synchronous_commit = on, with which a commit also waits for the disk.
 */
export const synchronousCommit = scenario(
  'synchronous_commit is off by every default and the standby is away, then service and server are killed (-9)',
  'PostgreSQL',
  async ({ long, seed }) => {
    const place = await createPostgresPlace({ synchronous_commit: 'off' });
    const { server, database } = place;
    await using testbed = new Testbed(place, seed);
    await server.query(`alter database ${database} set synchronous_commit = off`);
    await server.query('alter role postgres set synchronous_commit = off');
    const counts = { kills: 0, 'true answers afterwards': 0 };
    for (; counts.kills < (long ? 50 : 1); counts.kills++) {
      const item = testbed.newItem();
      const first = await testbed.start();
      await requireStandby(server, 'standby');
      const unanswered = testbed.client.create(first.url, item);
      await server.until(WAITING);
      if (await answersWithin(unanswered)) throw new Fault('an item was acknowledged before the standby had it');
      first.child.kill('SIGKILL');
      await first.ended;
      // Without a restart of the server, the transaction of the item would still wait, and block the retry.
      await server.kill();
      await server.start();
      testbed.ledger.add(item);
      // After its restart, the server has the item, which the standby does not have.
      if ((await server.query(`select from items where id = ${String(item.id)}`, database)).length === 0)
        throw new Fault('the item was not committed before the server was killed');
      const second = await testbed.start();
      const again = testbed.client.create(second.url, item);
      if (await answersWithin(again)) throw new Fault('a replay was acknowledged before the standby had the item');
      await requireStandby(server, '');
      await until(async () => {
        const answer = await testbed.client.create(second.url, item);
        testbed.ledger.answer(item, answer, false);
        return answer === 'replayed';
      });
      await again;
      counts['true answers afterwards']++;
      await second.stop();
    }
    return { ...counts, ...(await testbed.check()) };
  },
);

async function answersWithin(answer: Promise<string>): Promise<boolean> {
  return await Promise.race([
    answer.then((each) => each === 'created' || each === 'replayed'),
    sleep(SILENCE_MS, false),
  ]);
}

async function requireStandby(server: PostgresServer, name: string): Promise<void> {
  server.set({ synchronous_standby_names: name });
  server.reload();
  await server.until(`select 1 where current_setting('synchronous_standby_names') = '${name}'`);
}
