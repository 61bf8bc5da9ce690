/** How much of a scenario is done: a `short` round is part of `npm test`, a `long` one takes its time. */
export interface Extent {
  readonly long: boolean;
  /** All that is random comes from it: the same seed does the same again, as far as the machine does. */
  readonly seed: number;
}

/** What was done, in the order in which it is reported, such as `kills`; a scenario that finds a fault throws it. */
export type Counts = Readonly<Record<string, number>>;

export interface Scenario {
  /** What is done, and what must hold. */
  readonly name: string;
  readonly engine: 'SQLite' | 'PostgreSQL';
  /** Why it cannot be run on this machine; undefined: it can. */
  readonly impossible?: string | undefined;
  run(extent: Extent): Promise<Counts>;
}

/** The same scenario on each engine. */
export function onBoth(
  name: string,
  run: (engine: Scenario['engine'], extent: Extent) => Promise<Counts>,
): readonly Scenario[] {
  const engines = ['SQLite', 'PostgreSQL'] as const;
  return engines.map((engine) => ({ name, engine, run: (extent) => run(engine, extent) }));
}

/** A promise was broken. */
export class Fault extends Error {
  override readonly name = 'Fault';
}

/** Numbers from 0 to below 1 that look random (mulberry32). */
export function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
