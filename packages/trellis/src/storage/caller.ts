import { AsyncLocalStorage } from 'node:async_hooks';

/** Who asks the store: any text. Work without a caller, of an import or of resources, counts as that of one caller. */
export type CallerKey = string | undefined;

const callers = new AsyncLocalStorage<string>();

/** Runs work on behalf of a caller: what it asks of the store takes the turns of this caller. */
export function asCaller<T>(caller: string, work: () => T): T {
  return callers.run(caller, work);
}

export function currentCaller(): CallerKey {
  return callers.getStore();
}
