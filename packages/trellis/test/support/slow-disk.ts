import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The machine has no C compiler. */
export class NoCompiler extends Error {
  override readonly name = 'NoCompiler';
}

const compiler = process.env['CC'] ?? 'cc';

export function hasCompiler(): boolean {
  return spawnSync(compiler, ['--version']).error === undefined;
}

/**
 * Environment variables that make each fsync of a process take `ms` longer (slow-disk.c), and record it in the file
 * `log`, which `readFlushes` reads. Linux only.
 *
 * @param folder for the compiled library
 * @throws NoCompiler
 */
export function slowedBy(ms: number, folder: string, log?: string): Readonly<Record<string, string>> {
  const library = join(folder, 'slow-disk.so');
  const args = ['-shared', '-fPIC', '-o', library, join(import.meta.dirname, 'slow-disk.c'), '-ldl'];
  const { error, status, stderr } = spawnSync(compiler, args, { encoding: 'utf8' });
  if (error !== undefined) {
    throw new NoCompiler(
      `a slow disk needs a C compiler, and ${compiler} was not found: install gcc or clang, or set CC`,
    );
  }
  if (status !== 0) throw new Error(`${compiler}: ${stderr}`);
  return { LD_PRELOAD: library, SLOW_DISK_MS: String(ms), ...(log === undefined ? {} : { SLOW_DISK_LOG: log }) };
}

/** The present time on the clock of `readFlushes`, in milliseconds. */
export function clock(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** An fsync. It has no `end` if it failed, if its process was killed, or if it is still under way. */
export interface Flush {
  readonly pid: number;
  readonly file: string;
  readonly begin: number;
  readonly end?: number;
}

/** Each fsync so far, in the order in which they began. */
export function readFlushes(log: string): Flush[] {
  const flushes: Flush[] = [];
  // The text behind the last newline is an incomplete line.
  const lines = existsSync(log) ? readFileSync(log, 'utf8').split('\n').slice(0, -1) : [];
  for (const line of lines) {
    const [, pid, ms, what, file = ''] = /^(\d+) ([\d.]+) (begin|end) (.*)$/.exec(line) ?? [];
    const own = flushes.findLastIndex((flush) => flush.pid === Number(pid) && flush.file === file);
    const begun = flushes[own];
    if (what === 'begin') flushes.push({ pid: Number(pid), file, begin: Number(ms) });
    else if (begun !== undefined) flushes[own] = { ...begun, end: Number(ms) };
    else throw new Error(`${log} has an unreadable line: ${line}`);
  }
  return flushes;
}
