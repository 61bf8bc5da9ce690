import { isMainThread } from 'node:worker_threads';

/** What a process has used so far: of the processor, all threads together, and of memory. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly residentBytes: number;
  readonly peakBytes: number;
}

// Loaded into each server that is measured, before its own code (`--import`): answers whoever started it.
if (isMainThread) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({
      cpuMicroseconds: user + system,
      residentBytes: process.memoryUsage.rss(),
      peakBytes: process.resourceUsage().maxRSS * 1024,
    } satisfies Usage);
  });
  // A server does not outlive the run that measures it.
  process.on('disconnect', () => process.exit());
}
