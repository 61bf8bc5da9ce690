import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/** The CPU time of all threads of a process so far, and its peak memory. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
  /** The profile of the main thread since the previous message; undefined if there is none. */
  readonly profile?: Profiler.Profile | undefined;
}

const SAMPLING_US = 200;

// Node runs this file in each server process (`--import`). The file reports the usage to the parent process.
if (isMainThread) {
  const session = process.env['PROFILE'] === undefined ? undefined : new Session();
  session?.connect();
  session?.post('Profiler.enable');
  session?.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    let profile: Profiler.Profile | undefined;
    // At the first message, `stop` fails, because no profile has been started.
    session?.post('Profiler.stop', (error, result) => {
      profile = error === null ? result.profile : undefined;
    });
    session?.post('Profiler.start');
    process.send?.({ cpuMicroseconds: user + system, peakBytes: peakBytes(), profile } satisfies Usage);
  });
  // The server must end when the bench ends.
  process.on('disconnect', () => process.exit());
}

function peakBytes(): number {
  // On Linux, maxRSS of a process is at least the memory of its parent at the start, so it is not used.
  const status = process.platform === 'linux' ? readFileSync('/proc/self/status', 'utf8') : '';
  const kibibytes = /VmHWM:\s+(\d+) kB/.exec(status)?.[1] ?? process.resourceUsage().maxRSS;
  return Number(kibibytes) * 1024;
}
