import { drains } from './drains.ts';
import { fullDisk } from './full.ts';
import { killsInFlushes, slowFlushes } from './flushes.ts';
import { kills } from './kills.ts';
import { heldLock } from './locks.ts';
import { once } from './once.ts';
import { readOnly } from './read-only.ts';
import type { Scenario } from './scenario.ts';
import { failovers, serverKills } from './server.ts';
import { synchronousCommit } from './synchronous.ts';
import { weeds } from './weeds.ts';

/** All that is broken, in the order in which it is reported. */
export const SCENARIOS: readonly Scenario[] = [
  ...kills,
  ...once,
  ...drains,
  ...weeds,
  slowFlushes,
  killsInFlushes,
  fullDisk,
  readOnly,
  heldLock,
  serverKills,
  failovers,
  synchronousCommit,
];
