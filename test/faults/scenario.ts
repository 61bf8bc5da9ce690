import type { Engine } from '../support/place.ts';
import type { Extent, Trial } from '../support/trials.ts';

/** The counts of a row, in order, such as `kills`. A scenario that finds a fault throws it. */
export type Counts = Readonly<Record<string, number>>;

/** Makes a trial whose outcome is a row of counts. */
export function scenario(
  name: string,
  engine: Engine,
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

/** The same scenario on each engine. */
export function onBoth(name: string, run: (engine: Engine, extent: Extent) => Promise<Counts>): readonly Trial[] {
  return (['SQLite', 'PostgreSQL'] as const).map((engine) => scenario(name, engine, (extent) => run(engine, extent)));
}
