import { setTimeout as sleep } from 'node:timers/promises';
import { PostgresServer } from '../support/postgres.ts';
import { startService } from '../support/service.ts';
import { Client } from './clients.ts';
import { Ledger, randomPlants } from './ledger.ts';
import { addToken, readPlants, until } from './place.ts';
import { type Counts, type Extent, Fault, random, type Scenario } from './scenario.ts';

/** How long is waited for an answer that must not come, in milliseconds. */
const SILENCE_MS = 500;
const WAITING = "select 1 from pg_stat_activity where wait_event = 'SyncRep'";

/**
 * All that can be set to make a server acknowledge early is set so: its configuration, the database, the role. That a
 * commit waits for the standby all the same shows that it waits for the disk too.
 */
export const synchronousCommit: Scenario = {
  name: 'synchronous_commit is off by every default, the standby is away, service and server are killed (-9) while they wait',
  engine: 'PostgreSQL',
  async run({ long, seed }: Extent): Promise<Counts> {
    const newPlant = randomPlants(random(seed));
    await using server = await PostgresServer.create({ synchronous_commit: 'off' });
    const database = await server.createDatabase();
    await server.query(`alter database ${database} set synchronous_commit = off`);
    await server.query('alter role postgres set synchronous_commit = off');
    const url = server.url(database);
    using client = new Client(await addToken(url));
    const ledger = new Ledger();
    const counts = { kills: 0, 'true answers afterwards': 0 };
    for (; counts.kills < (long ? 50 : 2); counts.kills++) {
      const plant = newPlant();
      const first = await startService({ DATABASE_URL: url });
      await requireStandby(server, 'standby');
      const unanswered = client.create(first.url, plant);
      await server.until(WAITING);
      if (await answersWithin(unanswered)) throw new Fault('a plant was acknowledged before the standby had it');
      first.child.kill('SIGKILL');
      await first.ended;
      // Else the plant's transaction would go on waiting, and hold back who asks for it.
      await server.kill();
      await server.start();
      ledger.add(plant);
      // It is there to be seen; the standby does not have it.
      if ((await server.query(`select from plants where id = ${String(plant.id)}`, database)).length === 0) {
        throw new Fault('the plant was not committed before the server was killed');
      }
      const second = await startService({ DATABASE_URL: url });
      const again = client.create(second.url, plant);
      if (await answersWithin(again)) throw new Fault('a replay was acknowledged before the standby had the plant');
      await requireStandby(server, '');
      // Whoever was told 503 meanwhile asks again.
      await until(async () => {
        const answer = await client.create(second.url, plant);
        ledger.answer(plant, answer, false);
        return answer === 'replayed';
      });
      await again;
      counts['true answers afterwards']++;
      await second.stop();
    }
    return { ...counts, ...ledger.check(await readPlants(url)) };
  },
};

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
