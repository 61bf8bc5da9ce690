import { takeCoverage } from 'node:v8';
import { BroadcastChannel, isMainThread } from 'node:worker_threads';

// Loaded into each thread of a service, whose coverage it writes at SIGUSR2. Each report begins after the one before.

const channel = new BroadcastChannel('coverage').unref();
channel.onmessage = takeCoverage;
if (isMainThread)
  process.on('SIGUSR2', () => {
    channel.postMessage(undefined);
    takeCoverage();
  });
