import { Fault } from '../../test/support/clients.ts';
import type { Engine } from '../../test/support/place.ts';
import type { Service } from '../../test/support/service.ts';
import { Testbed } from '../../test/support/testbed.ts';
import type { Extent, Trial } from '../../test/support/trials.ts';

/** The counts in the row of a scenario, in order, such as `kills`. */
export type Counts = Readonly<Record<string, number>>;

/** Makes a trial whose outcome is a row of counts. If `run` finds a fault, it throws a Fault. */
export function scenario(
  name: string,
  engine: Engine | 'Citus',
  run: (extent: Extent) => Promise<Counts>,
  impossible?: string,
): Trial {
  return {
    cells: [name, engine],
    impossible,
    async run(extent) {
      const start = performance.now();
      const counts = Object.entries(await run(extent));
      if (counts.every(([, count]) => count === 0)) throw new Error('nothing was done');
      const done = counts.map(([what, count]) => `${count.toLocaleString('en')} ${what}`);
      return `${done.join(', ')}; seed ${extent.seed}, ${((performance.now() - start) / 1000).toFixed(0)} s`;
    },
  };
}

/** Makes a scenario on a new store, with the counts of the ledger at the end of its row. */
type Run = (testbed: Testbed, long: boolean) => Promise<Counts>;

async function runOn(engine: Engine, run: Run, { long, seed }: Extent): Promise<Counts> {
  await using testbed = await Testbed.create(engine, seed);
  return await withLedger(await run(testbed, long), testbed);
}

export function onSqlite(name: string, run: Run, impossible?: string): Trial {
  return scenario(name, 'SQLite', (extent) => runOn('SQLite', run, extent), impossible);
}

/** Makes two scenarios that differ only in the engine. */
export function onBoth(name: string, run: Run): readonly Trial[] {
  return (['SQLite', 'PostgreSQL'] as const).map((engine) =>
    scenario(name, engine, (extent) => runOn(engine, run, extent)),
  );
}

/** Adds the counts of the ledger. @throws Fault if the store lost an item, or has an item that no client sent */
export async function withLedger(counts: Counts, testbed: Testbed): Promise<Counts> {
  return { ...counts, acknowledged: testbed.ledger.acknowledged, ...(await testbed.check()) };
}

/** Stops a service. @throws Fault unless it exits with 0 */
export async function stop({ child, ended, stderr }: Pick<Service, 'child' | 'ended' | 'stderr'>): Promise<void> {
  child.kill('SIGTERM');
  const code = await ended;
  if (code !== 0) throw new Fault(`the service ended with ${String(code)}: ${stderr()}`);
}
