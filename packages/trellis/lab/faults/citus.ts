import { setTimeout as sleep } from 'node:timers/promises';
import { Citus, type Node, noCitus } from '../../test/support/citus.ts';
import { Fault } from '../../test/support/clients.ts';
import { addTokens } from '../../test/support/place.ts';
import { ITEMS } from '../../test/support/service.ts';
import { type Load, Testbed } from '../../test/support/testbed.ts';
import type { Trial } from '../../test/support/trials.ts';
import { until } from '../../test/support/until.ts';
import { type Counts, scenario } from './scenario.ts';

const CLIENTS = 16;
/** The longest time of load before a kill, and the time that a server stays away, in milliseconds. */
const LONGEST_MS = 1000;
const AWAY_MS = 2000;
/** How long Citus may take to resolve the transactions that were left prepared, in milliseconds. */
const RESOLVED_MS = 120_000;

interface Bed {
  readonly cluster: Citus;
  readonly database: string;
  readonly testbed: Testbed;
}

/** @param run what is done to a cluster that spreads the items over the workers */
function onCitus(name: string, run: (bed: Bed, long: boolean) => Promise<Counts>, prepare = SPREAD): Trial {
  const work = async ({ long, seed }: { readonly long: boolean; readonly seed: number }) => {
    await using cluster = await Citus.start();
    const database = await cluster.createDatabase();
    await cluster.query("alter system set citus.recover_2pc_interval = '5s'");
    await cluster.query('select pg_reload_conf()');
    const url = cluster.url(database);
    const [token = ''] = await addTokens(url, 1);
    for (const statement of prepare) await cluster.query(statement, database);
    const place = { program: ITEMS, url, token, [Symbol.asyncDispose]: () => Promise.resolve() };
    await using testbed = new Testbed(place, seed);
    const counts = await run({ cluster, database, testbed }, long);
    await until(async () => (await prepared(cluster)) === 0, RESOLVED_MS);
    return { ...counts, acknowledged: testbed.ledger.acknowledged, ...(await testbed.check()) };
  };
  return scenario(name, 'Citus', work, noCitus);
}

/** The notes stay in one place, so the items lose the foreign key that leads to them. */
const SPREAD = [
  'alter table notes drop constraint notes_item_fkey',
  "select create_distributed_table('items', 'id', shard_count => 8)",
];

async function prepared(cluster: Citus): Promise<number> {
  const counts = (['coordinator', 'worker1', 'worker2'] as const).map(
    async (node) => (await cluster.query('select from pg_prepared_xacts', 'postgres', node)).length,
  );
  return (await Promise.all(counts)).reduce((sum, each) => sum + each, 0);
}

const grows = async (load: Load, by = CLIENTS) => {
  const from = load.acknowledged;
  await until(() => load.broken || load.acknowledged >= from + by, 60_000);
};

function killsOf(node: Node, what: string): Trial {
  return onCitus(`${what} is killed (-9) and started again under load from two instances`, async (bed, long) => {
    const { cluster, testbed } = bed;
    using load = testbed.load(CLIENTS, await testbed.startTwo());
    const counts = { kills: 0, 'acknowledged meanwhile': 0 };
    for (; counts.kills < (long ? 20 : 1); counts.kills++) {
      await grows(load);
      await sleep(testbed.next() * LONGEST_MS);
      await cluster.kill(node);
      const from = load.acknowledged;
      await sleep(AWAY_MS);
      counts['acknowledged meanwhile'] += load.acknowledged - from;
      await cluster.restart(node);
    }
    await load.stop();
    if (node !== 'coordinator' && counts['acknowledged meanwhile'] === 0)
      throw new Fault('no create to the other worker succeeded while one was away');
    return { ...counts, 'answers 503 or none': load.failures };
  });
}

const awayAtStart = onCitus('a worker is away when two instances start, and comes back', async (bed, long) => {
  const { cluster, testbed } = bed;
  const counts = { starts: 0, 'acknowledged meanwhile': 0, 'answers 503 or none': 0 };
  for (; counts.starts < (long ? 10 : 1); counts.starts++) {
    await cluster.kill('worker2');
    const services = await testbed.startTwo();
    using load = testbed.load(CLIENTS, services);
    await sleep(AWAY_MS);
    counts['acknowledged meanwhile'] += load.acknowledged;
    await cluster.restart('worker2');
    await grows(load);
    await load.stop();
    counts['answers 503 or none'] += load.failures;
    for (const service of services) await service.stop();
  }
  return counts;
});

const moves = onCitus(
  'shards move to a worker that is new, and back, under load from two instances',
  async ({ cluster, database, testbed }, long) => {
    using load = testbed.load(CLIENTS, await testbed.startTwo());
    const [host = '', port = ''] = cluster.addressOf('worker2').split(':');
    const counts = { 'shards moved': 0 };
    for (let round = 0; round < (long ? 5 : 1); round++) {
      await grows(load);
      await cluster.query(`select citus_add_node('${host}', ${port})`, database);
      // As wal_level is not `logical` here, creates to a shard wait while it moves.
      await cluster.query("select rebalance_table_shards('items', shard_transfer_mode => 'block_writes')", database);
      const moved = await cluster.query(`select from citus_shards where nodeport = ${port}`, database);
      if (moved.length === 0) throw new Error('no shard has moved');
      counts['shards moved'] += moved.length;
      await grows(load);
      await cluster.query(`select citus_drain_node('${host}', ${port}, 'block_writes')`, database);
      await cluster.query('call citus_cleanup_orphaned_resources()', database);
      await cluster.query(`select citus_remove_node('${host}', ${port})`, database);
    }
    await load.stop();
    return { ...counts, 'answers 503 or none': load.failures };
  },
  [`select citus_remove_node(nodename, nodeport) from pg_dist_node where groupid = 2`, ...SPREAD],
);

export const citus = [
  killsOf('worker2', 'a worker of Citus'),
  killsOf('coordinator', 'the coordinator of Citus'),
  awayAtStart,
  moves,
];
