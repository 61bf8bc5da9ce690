import { AsyncLocalStorage } from 'node:async_hooks';
import type { Handler } from '../service.ts';

const running = new AsyncLocalStorage<string>();

/** Marks all that a handler does and starts, so that `runningOperation` finds the id of the operation. */
export function asOperation(id: string, handler: Handler): Handler {
  // One scope for all requests: to make one takes longer than to enter it.
  const enter = running.run(id, () => AsyncLocalStorage.snapshot());
  return (request, tools) => enter(handler, request, tools);
}

/**
 * To be called in `uncaughtException` and `unhandledRejection`.
 *
 * @returns the id of the operation that failed in work which it does not await: in a timer, a listener, a promise; undefined
 * if the work was begun elsewhere
 */
export function runningOperation(): string | undefined {
  return running.getStore();
}
