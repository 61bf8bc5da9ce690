import { copyFileSync, renameSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import { Fault } from '../../test/support/clients.ts';
import { hostile } from '../../test/support/hostile-role.ts';
import { adminUrl } from '../../test/support/metrics.ts';
import { createPostgresPlace } from '../../test/support/place.ts';
import type { Service } from '../../test/support/service.ts';
import { Testbed } from '../../test/support/testbed.ts';
import { disturb, readiness } from './disturbances.ts';
import type { Trial } from '../../test/support/trials.ts';
import { scenario, stop, withLedger } from './scenario.ts';
import { type Business, ITEMS_SENT, type Traffic } from './server.ts';

/** How long the test watches the service while a part of its store is missing, in milliseconds. */
const SILENCE_MS = 200;

/** @throws Fault if the service acknowledges a write or reports itself ready while a part of its store is missing */
async function requireSilence(load: Traffic, service: Service): Promise<void> {
  const { acknowledged } = load;
  await sleep(SILENCE_MS);
  if (load.acknowledged > acknowledged) throw new Fault('a write was acknowledged that is not in the store');
  const readyz = await readiness(adminUrl(service));
  if (readyz !== 503) throw new Fault(`/readyz says ${readyz}`);
}

export function movedFilesOf<T extends Traffic>(business: Business<T>): Trial {
  const what = 'a file of the store is moved away or replaced by a copy, then put back, repeatedly under load';
  return scenario(business.name + what, 'SQLite', async ({ long, seed }) => {
    await using testbed = await Testbed.create('SQLite', seed, business.program);
    const database = testbed.place.url.slice('sqlite:'.length);
    const service = await testbed.start({ ADMIN_PORT: '0' });
    using load = await business.begin(testbed, [service]);
    await load.stop();
    const counts = { moved: 0, replaced: 0 };
    for (let round = 0; round < (long ? 50 : 3); round++) {
      const file = database + (['', '-wal', '-shm'][round % 3] ?? '');
      const way = round % 2 === 0 ? 'moved' : 'replaced';
      counts[way]++;
      await disturb(testbed, load, {
        begin: () => {
          renameSync(file, `${file}.away`);
          if (way === 'replaced') copyFileSync(`${file}.away`, file);
        },
        meanwhile: () => requireSilence(load, service),
        end: () => renameSync(`${file}.away`, file),
      });
    }
    const found = await business.check(testbed, load);
    await stop(service);
    return { ...counts, 'answers 503': load.failures, acknowledged: load.acknowledged, ...found };
  });
}

export const movedFiles = movedFilesOf(ITEMS_SENT);

/** How many items the test sends, each twice, while all settings are hostile. */
const TWICE = 100;

export const hostileRole = scenario(
  'each setting of the role is hostile; its search_path or a table goes away and comes back, repeatedly under load',
  'PostgreSQL',
  async ({ long, seed }) => {
    const place = await createPostgresPlace();
    const { server, database } = place;
    await server.query('create role keeper login superuser');
    await using testbed = new Testbed({ ...place, url: server.url(database, '', 'keeper') }, seed);
    // The settings of a role apply only to new connections.
    const set = async (statement: string) => {
      await server.query(statement, database);
      const others = `from pg_stat_activity where application_name = 'item-store'`;
      await server.query(`select pg_terminate_backend(pid) ${others}`);
    };
    await set(hostile('keeper'));
    const service = await testbed.start({ ADMIN_PORT: '0' });
    const ways = [
      ["alter role keeper set search_path = ''", 'alter role keeper reset search_path'],
      ['alter table public.items rename to gone', 'alter table public.gone rename to items'],
    ] as const;
    using load = await ITEMS_SENT.begin(testbed, [service]);
    await load.stop();
    const counts = { 'times gone': 0, 'sent twice': 0 };
    for (; counts['times gone'] < (long ? 30 : 2); counts['times gone']++) {
      const [go, come] = ways[counts['times gone'] % ways.length] ?? ways[0];
      await disturb(testbed, load, {
        begin: () => set(go),
        meanwhile: () => requireSilence(load, service),
        end: () => set(come),
      });
      for (let items = 0; items < TWICE; items++) {
        const item = testbed.newItem();
        await testbed.send(service.url, item);
        const answer = await testbed.send(service.url, item);
        if (answer !== 'replayed') throw new Fault(`${exactJson(item)} was ${answer} the second time`);
        counts['sent twice']++;
      }
    }
    return await withLedger({ ...counts, 'answers 503': load.failures }, testbed);
  },
);
