import { DatabaseSync } from 'node:sqlite';
import { layoutOf } from '../../src/storage/layout.ts';
import { openStore } from '../../src/storage/open.ts';
import type { Load } from './load.ts';
import { median, table } from './results.ts';
import { RunningServer, Scratch } from './servers.ts';
import { bench } from './service/index.ts';

const CONNECTIONS = 64;

interface Size {
  readonly items: number;
  readonly rates: Record<Load['ids'], number[]>;
}

/** Measures the service on stores of different sizes, with random and then with sequential ids. */
export async function measureGrowth(
  sizes: readonly number[],
  { rounds, warmUpSeconds, seconds }: { rounds: number; warmUpSeconds: number; seconds: number },
): Promise<string> {
  const measured = sizes.map((items): Size => ({ items, rates: { random: [], sequential: [] } }));
  for (let round = 0; round < rounds; round++) {
    for (const { items, rates } of measured) {
      using scratch = new Scratch();
      await fill(scratch.database, items);
      await using running = await RunningServer.start('service', scratch);
      for (const ids of ['random', 'sequential'] as const) {
        const load = { operation: 'create', connections: CONNECTIONS, ids, warmUpSeconds, seconds } as const;
        const result = await running.measure(load);
        rates[ids].push(result.answers / result.seconds);
        console.error(`${items} items, ${ids} ids: ${rates[ids].at(-1)?.toFixed(0) ?? ''}/s`);
      }
    }
  }
  const [empty] = measured;
  const row = ({ items, rates }: Size) => {
    const cells = (['random', 'sequential'] as const).flatMap((ids) => {
      const [rate, first] = [median(rates[ids]), median(empty?.rates[ids] ?? [])];
      return [rate.toFixed(0), `${(rate / first).toFixed(2)} ×`];
    });
    return [items.toLocaleString('en'), ...cells];
  };
  const head = ['items at the start', 'creates/s, random ids', 'to empty', 'creates/s, sequential ids', 'to empty'];
  return table(`${CONNECTIONS} connections`, head, measured.map(row));
}

/** Inserts items in random order of their ids, as clients do: the order decides how full the table's pages are. */
async function fill(database: string, items: number): Promise<void> {
  await (await openStore(layoutOf(bench), { engine: 'sqlite', path: database }, { create: true })).close();
  const direct = new DatabaseSync(database);
  // The checkpoint at the end flushes all items, so that SQLite need not write them during the measurement.
  direct.exec('pragma synchronous = off; pragma cache_size = -2000000; pragma wal_autocheckpoint = 100000; begin');
  const insert = direct.prepare(
    "insert into items (id, name, tag) values (?, 'Monstera deliciosa', 'tropical') on conflict do nothing",
  );
  for (let count = 0; count < items; count++) {
    insert.run(Math.floor(Math.random() * 2 ** 52));
    if (count % 100_000 === 99_999) direct.exec('commit; begin');
  }
  direct.exec('commit; pragma synchronous = full; pragma wal_checkpoint(truncate)');
  direct.close();
}
