import { setTimeout as sleep } from 'node:timers/promises';
import type { Load } from './load.ts';
import { Fault } from './scenario.ts';

/** How many answers must be a 503 before a disturbance ends; how long it may take until they are, and until none is. */
const FAILURES = 300;
const PATIENCE_MS = 30_000;
/** How long plants are stored before a disturbance, at most, and without a failure after it, in milliseconds. */
export const CALM_MS = 200;

/** Something that keeps plants from being stored for a while. */
export interface Disturbance {
  begin(): void;
  end(): void;
  /** While it lasts. */
  meanwhile?(): Promise<void>;
}

/**
 * Sends plants before, during and after a disturbance: what is turned away is stored when it is over, by itself.
 *
 * @returns how many answers were a 503, or none
 */
export async function disturb(newLoad: () => Load, afterMs: number, disturbance: Disturbance): Promise<number> {
  const load = newLoad();
  using _end = {
    [Symbol.dispose]: () => {
      load.abandon();
    },
  };
  await sleep(afterMs);
  if (load.failures > 0) throw new Fault('a 503 before anything was disturbed');
  disturbance.begin();
  try {
    await inTime(() => load.broken || load.failures >= FAILURES, 'no 503 from a store that cannot be written');
    await disturbance.meanwhile?.();
  } finally {
    disturbance.end();
  }
  let stopped = false;
  const stop = load.stop().finally(() => (stopped = true));
  await Promise.race([stop, inTime(() => stopped, 'no 200 from a store that can be written again')]);
  await requireCalm(newLoad());
  return load.failures;
}

/** @throws Fault if a plant is turned away for no reason */
export async function requireCalm(load: Load): Promise<void> {
  await sleep(CALM_MS);
  await load.stop();
  if (load.failures > 0) throw new Fault(`${load.failures} answers were a 503, or none, after all was well again`);
}

async function inTime(condition: () => boolean, fault: string): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Fault(fault);
    await sleep(10);
  }
}
