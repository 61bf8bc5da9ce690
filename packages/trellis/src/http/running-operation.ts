import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../auth/caller.ts';
import type { Handler } from '../service.ts';
import { asCaller } from '../storage/caller.ts';
import type { Exchange } from './connection.ts';

const running = new AsyncLocalStorage<string>();

/**
 * Marks all that a handler does and starts, so that `runningOperation` finds the id of the operation, and the store shares
 * its turns by caller.
 */
export function asOperation(id: string, handler: Handler) {
  const ofOperation = running.run(id, () => AsyncLocalStorage.snapshot());
  const scopeOf = (key: string) => ofOperation(asCaller<typeof ofOperation>, key, () => AsyncLocalStorage.snapshot());
  // One scope for all requests of a caller: to make one takes longer than to enter it.
  const scopes = new WeakMap<Caller, typeof ofOperation>();
  return ({ caller, key }: Pick<Exchange, 'caller' | 'key'>, ...given: Parameters<Handler>) => {
    // No object stands for a client without a token: a scope kept for one request takes four times as long as none.
    if (caller === undefined) return ofOperation(asCaller, key, () => handler(...given));
    let scope = scopes.get(caller);
    if (scope === undefined) scopes.set(caller, (scope = scopeOf(key)));
    return scope(handler, ...given);
  };
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
