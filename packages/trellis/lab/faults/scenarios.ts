import { globSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../../test/support/service.ts';
import type { Suite, Trial } from '../../test/support/trials.ts';
import { citus } from './citus.ts';
import { fullDisk, heldLock, readOnly } from './disturbances.ts';
import { drains } from './drains.ts';
import { killsInFlushes, slowFlushes } from './flushes.ts';
import { killsOfAllKinds } from './kinds.ts';
import { kills } from './kills.ts';
import { hostileRole, movedFiles } from './mistakes.ts';
import { once } from './once.ts';
import { providerAway } from './provider.ts';
import { failovers, serverKills, synchronousCommit } from './server.ts';
import { weeds } from './weeds.ts';

/** The scenarios of other services, each in a file of its own. */
const others = globSync('examples/*/lab/faults.ts', { cwd: ROOT })
  .toSorted()
  .map(async (file) => (await import(join(ROOT, file))) as { readonly faults: readonly Trial[] });

/** Every scenario, in the order of the rows in RESULTS.md. */
export const FAULTS: Suite = {
  command: 'test:faults',
  takes: 'some 60 minutes',
  results: join(import.meta.dirname, 'RESULTS.md'),
  title: 'What was broken, and what came of it',
  text: `Each row has the counts of one scenario. A broken promise would be
named in its row, and the command would have failed. \`-- --seed N\` does the same again.`,
  columns: ['what is done', 'on'],
  trials: [
    ...[...kills, ...once, ...drains, ...weeds, ...providerAway],
    ...[slowFlushes, killsInFlushes, killsOfAllKinds, fullDisk, readOnly, heldLock, movedFiles],
    ...[serverKills, failovers, synchronousCommit, hostileRole, ...citus],
    ...(await Promise.all(others)).flatMap(({ faults }) => faults),
  ],
  laneOf: ({ cells: [, engine = ''] }) => engine,
};
