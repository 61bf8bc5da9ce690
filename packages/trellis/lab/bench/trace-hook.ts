import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeCoverage } from 'node:v8';
import { BroadcastChannel, isMainThread, threadId } from 'node:worker_threads';

// Loaded into each thread of a service, whose coverage it writes at SIGUSR2. Each report begins after the one before.

const channel = new BroadcastChannel('coverage').unref();
channel.onmessage = report;
if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage(undefined);
    report();
  });

/** Writes the report of this thread, and then an empty file, which says that the report is whole. */
function report(): void {
  takeCoverage();
  writeFileSync(join(process.env['NODE_V8_COVERAGE'] ?? '', `${threadId}.done`), '');
}
