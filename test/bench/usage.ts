import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/** The CPU time of a process so far, all threads together, and the most memory that it has had. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
  /** The profile of the main thread since the previous message; undefined: none was taken. */
  readonly profile?: Profiler.Profile | undefined;
}

const SAMPLING_US = 200;

// Node loads this file into each server before its own code (`--import`). It reports to the parent process.
if (isMainThread) {
  const session = process.env['PROFILE'] === undefined ? undefined : new Session();
  session?.connect();
  session?.post('Profiler.enable');
  session?.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    let profile: Profiler.Profile | undefined;
    // This fails at the first message, because no profile has been started.
    session?.post('Profiler.stop', (error, result) => (profile = error === null ? result.profile : undefined));
    session?.post('Profiler.start');
    process.send?.({ cpuMicroseconds: user + system, peakBytes: peakBytes(), profile } satisfies Usage);
  });
  // A server must not outlive the bench.
  process.on('disconnect', () => process.exit());
}

function peakBytes(): number {
  // On Linux, maxRSS begins with the memory of the process that started this one.
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
