import { readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

/** What a process has used so far: of the processor, all threads together, and of memory. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
}

// Loaded into each server that is measured, before its own code (`--import`): answers whoever started it.
if (isMainThread) {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({
      cpuMicroseconds: user + system,
      peakBytes: peakBytes(),
    } satisfies Usage);
  });
  // A server does not outlive the run that measures it.
  process.on('disconnect', () => process.exit());
}

function peakBytes(): number {
  // On Linux maxRSS starts with what the process had that started this one.
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
