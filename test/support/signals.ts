import { existsSync, readFileSync } from 'node:fs';

/** Sends a signal to a process, if there is one still. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It has ended by itself.
  }
}

/** A process and those that it started: the first one's end would make the others end in order. */
export function processesOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}
