import { table } from './report.ts';
import { Scratch } from './processes.ts';
import { RunningServer, SERVERS } from './servers.ts';

const STEPS = 5;

/** What the process of the service holds in memory while it creates more and more plants. */
export async function measureEndurance(creates: number): Promise<string> {
  using scratch = new Scratch();
  await using running = await RunningServer.start(SERVERS.service, scratch);
  const rows: string[][] = [];
  let total = 0;
  for (let step = 1; step <= STEPS; step++) {
    const load = { connections: 64, ids: 'sequential', warmUpSeconds: 0, seconds: 3600 } as const;
    const measured = await running.measure({ ...load, creates: Math.ceil(creates / STEPS) });
    total += measured.creates;
    rows.push([
      total.toLocaleString('en'),
      (measured.residentBytes / 1e6).toFixed(0),
      (measured.peakBytes / 1e6).toFixed(0),
      (measured.creates / measured.seconds).toFixed(0),
    ]);
    console.error(rows.at(-1)?.join(' | '));
  }
  return table('64 connections, sequential ids', ['creates', 'resident MB', 'peak MB', 'creates/s'], rows);
}
