import { setTimeout as sleep } from 'node:timers/promises';
import { end, type Environment, launch, Scratch } from './processes.ts';
import { median, table } from './report.ts';

/** How long a user waits: from `npm start` to the first 200, in seconds. */
export async function measureStart(runs: number): Promise<string> {
  const seconds = async (environment: Environment) => {
    const measured: number[] = [];
    for (let run = 0; run < runs; run++) {
      using scratch = new Scratch();
      const { child, startedAfterMs } = await launch(['npm', 'start'], scratch, environment);
      measured.push(startedAfterMs / 1000);
      await end(child);
    }
    return [median(measured), Math.max(...measured)].map((each) => each.toFixed(2));
  };
  // Leaves what it has compiled to those that are measured.
  using scratch = new Scratch();
  const { child } = await launch(['npm', 'start'], scratch);
  await sleep(1000);
  await end(child);
  return table(
    'From `npm start` to the first 200',
    ['', 'median s', 'slowest s'],
    [
      // As after `npm ci`: nothing that was compiled is kept from an earlier start.
      ['the first time', ...(await seconds({ NODE_DISABLE_COMPILE_CACHE: '1' }))],
      ['again', ...(await seconds({}))],
    ],
  );
}
