import { readFileSync } from 'node:fs';
import { type Profiler, Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';

/** What a process has used so far: of the processor, all threads together, and of memory. */
export interface Usage {
  readonly cpuMicroseconds: number;
  readonly peakBytes: number;
  /** Of this thread, since the server was asked before; undefined: it takes no profile. */
  readonly profile?: Profiler.Profile | undefined;
}

const SAMPLING_US = 200;

// Loaded into each server that is measured, before its own code (`--import`): answers whoever started it.
if (isMainThread) {
  const session = process.env['PROFILE'] === undefined ? undefined : new Session();
  session?.connect();
  session?.post('Profiler.enable');
  session?.post('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    let profile: Profiler.Profile | undefined;
    // It is an error the first time, when none was begun.
    session?.post('Profiler.stop', (error, result) => (profile = error === null ? result.profile : undefined));
    session?.post('Profiler.start');
    process.send?.({ cpuMicroseconds: user + system, peakBytes: peakBytes(), profile } satisfies Usage);
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
