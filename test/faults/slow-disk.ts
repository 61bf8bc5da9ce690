import { spawnSync } from 'node:child_process';
import { dirname, join } from 'node:path';
import { clock, type Flush, hasCompiler, readFlushes, slowedBy } from '../support/slow-disk.ts';
import { Fault } from './scenario.ts';

/** What each fsync of the service takes more, in milliseconds. */
export const SLOW_MS = 300;

/** Why no fsync can be slowed here. */
export const notSlowed =
  process.platform !== 'linux'
    ? 'an fsync can be slowed on Linux only'
    : hasCompiler()
      ? undefined
      : 'an fsync cannot be slowed without a C compiler: install gcc or clang, or set CC';

/** A disk whose fsync is slow, and which tells when there was one. */
export interface SlowDisk {
  readonly environment: Readonly<Record<string, string>>;
  /** The fsyncs of the log (WAL), which holds what is acknowledged, by one process. */
  flushes(pid: number | undefined): Flush[];
}

/** Slows the disk for the store of a place. */
export function slowDisk(url: string): SlowDisk {
  const database = url.slice('sqlite:'.length);
  const folder = dirname(database);
  const log = join(folder, 'flushes');
  const environment = slowedBy(SLOW_MS, folder, log);
  // That nothing is slowed, and nothing is written down, must not look like a service that never calls fsync.
  const program = "const { fsyncSync, openSync } = require('node:fs'); fsyncSync(openSync(process.argv[1], 'w'))";
  spawnSync(process.execPath, ['-e', program, join(folder, 'probe')], { env: { ...process.env, ...environment } });
  const [probe] = readFlushes(log);
  if (probe?.end === undefined || probe.end - probe.begin < SLOW_MS || probe.end > clock())
    throw new Error('LD_PRELOAD does not slow down an fsync here');
  return {
    environment,
    flushes: (pid) => readFlushes(log).filter((flush) => flush.pid === pid && flush.file === `${database}-wal`),
  };
}

/** @throws Fault unless an fsync began and ended between two times */
export function requireFlush(flushes: readonly Flush[], what: string, from: number, to: number): void {
  if (flushes.some(({ begin, end = Infinity }) => begin >= from && end <= to)) return;
  throw new Fault(`${what} was answered with 200, and no fsync in the ${(to - from).toFixed(0)} ms before it`);
}
