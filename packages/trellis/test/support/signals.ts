import { existsSync, readFileSync } from 'node:fs';

/** Sends a signal to a process, if it still runs. */
export function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

/** The ids of a process and its children: if only the parent were killed, the children would shut down in order. */
export function processesOf(pid: number): number[] {
  const file = `/proc/${pid}/task/${pid}/children`;
  const children = existsSync(file) ? readFileSync(file, 'utf8') : '';
  return [pid, ...children.trim().split(' ').filter(Boolean).map(Number)];
}
