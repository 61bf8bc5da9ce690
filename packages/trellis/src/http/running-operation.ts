import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from '../auth/caller.ts';
import { within } from '../place.ts';
import type { Handler } from '../service.ts';
import { asCaller } from '../storage/caller.ts';
import type { Exchange } from './connection.ts';

/** Gives all that a handler does and starts the place of its operation, and the turns of its caller at the store. */
export function asOperation(id: string, handler: Handler) {
  const ofOperation = within({ operation: id }, () => AsyncLocalStorage.snapshot());
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
