import { isMainThread, parentPort, workerData } from 'node:worker_threads';
import { inspect } from 'node:util';

// Imported before a service. Ends a thread of the store that gets `ends the thread`, as a full heap would.
const { mode } = (workerData ?? {}) as { readonly mode?: string };
if (!isMainThread && mode !== undefined)
  parentPort?.addEventListener('message', (event) => {
    if (!inspect(event.data, { depth: 9 }).includes('ends the thread')) return;
    event.stopImmediatePropagation();
    throw new Error('the heap is full');
  });
