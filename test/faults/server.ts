import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../support/clients.ts';
import { createPostgresPlace } from '../support/place.ts';
import type { PostgresServer } from '../support/postgres.ts';
import { type Load, Testbed } from '../support/testbed.ts';
import { until } from '../support/until.ts';
import { scenario, withLedger } from './scenario.ts';

const CLIENTS = 16;
/** The longest time of load before and after a kill of the server, in milliseconds. */
const LONGEST_MS = 1000;
/** The longest time for which the standby is cut off before the primary is killed, in milliseconds. */
const CUT_OFF_MS = 500;

export const serverKills = scenario(
  'PostgreSQL is killed (-9) and restarted under load from two instances',
  'PostgreSQL',
  async ({ long, seed }) => {
    const place = await createPostgresPlace();
    await using testbed = new Testbed(place, seed);
    using load = testbed.load(CLIENTS, await testbed.startTwo());
    let kills = 0;
    for (; kills < (long ? 50 : 3); kills++) {
      await sleep(testbed.next() * LONGEST_MS);
      await place.server.kill();
      await place.server.start();
    }
    await sleep(LONGEST_MS);
    await load.stop();
    return await withLedger({ kills, 'answers 503 or none': load.failures }, testbed);
  },
);

export const failovers = scenario(
  'the primary is killed (-9) and its synchronous standby promoted, under load from two instances',
  'PostgreSQL',
  async ({ long, seed }) => {
    const counts = { failovers: 0, acknowledged: 0, 'answers 503 or none': 0, lost: 0, phantoms: 0 };
    for (; counts.failovers < (long ? 20 : 1); counts.failovers++) {
      const { acknowledged, failures } = await failOver(seed + counts.failovers);
      counts.acknowledged += acknowledged;
      counts['answers 503 or none'] += failures;
    }
    return counts;
  },
);

async function failOver(seed: number): Promise<Load> {
  const place = await createPostgresPlace();
  const { server: primary, database } = place;
  await using standby = await primary.createStandby();
  primary.set({ synchronous_standby_names: 'standby' });
  primary.reload();
  await primary.until("select 1 from pg_stat_replication where sync_state = 'sync'");
  const hosts = [primary, standby].map(({ port }) => `127.0.0.1:${port}`).join();
  const url = `postgres://postgres@${hosts}/${database}?target_session_attrs=read-write`;
  await using testbed = new Testbed({ ...place, url }, seed);
  const { next } = testbed;
  using load = testbed.load(CLIENTS, await testbed.startTwo());
  await sleep(next() * LONGEST_MS + 100);
  // The standby now receives no changes, so the service may acknowledge no item.
  const [sender] = await primary.query('select pid from pg_stat_replication');
  process.kill(Number(sender?.['pid']), 'SIGSTOP');
  await sleep(next() * CUT_OFF_MS);
  await primary.kill();
  await sleep(next() * LONGEST_MS);
  await standby.promote();
  await sleep(LONGEST_MS);
  await load.stop();
  await testbed.check(standby.url(database));
  return load;
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
    for (; counts.kills < (long ? 50 : 2); counts.kills++) {
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
      if ((await server.query(`select from items where id = ${String(item.id)}`, database)).length === 0) {
        throw new Fault('the item was not committed before the server was killed');
      }
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
