import type { Logger } from 'pino';
import { ownSettings } from '../config.ts';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import { type Opener, type Shared, sharedBy } from '../service.ts';
import type { Store } from '../storage/store.ts';
import type { Job } from '../terminal/io.ts';

interface Surroundings {
  readonly store: Store;
  readonly log: Logger;
  readonly stopSignal: AbortSignal;
  /** Aborts the signal of the resources, so that their work can end, and then disposes of them. */
  readonly stack: AsyncDisposableStack;
}

/**
 * Opens the resources of a service.
 *
 * @returns what all operations share
 * @throws ExplainedError if the service fails to open them; if it fails to dispose of them, `stack` throws one
 */
export async function openResources(
  { service, config }: Pick<Job, 'service' | 'config'>,
  { store, log, stopSignal, stack }: Surroundings,
): Promise<Shared> {
  const shared = sharedBy(store, ownSettings(service, config));
  const ending = new AbortController();
  const signal = AbortSignal.any([stopSignal, ending.signal]);
  const failed = (message: string, error: unknown): ExplainedError => {
    log.error({ err: error }, message);
    return new ExplainedError(`${message}: ${messageOf(error)}`, { cause: error });
  };
  try {
    // The type Service has checked `resources` with the types of its own tables and settings, which are not known here.
    const resources = await (service.resources as Opener | undefined)?.({ ...shared, log, signal });
    stack.defer(async () => {
      try {
        await using _disposed = isDisposable(resources) ? resources : undefined;
      } catch (error) {
        throw failed('the service could not dispose of its resources', error);
      }
    });
    return { ...shared, resources };
  } catch (error) {
    if (stopSignal.aborted) return { ...shared, resources: undefined };
    throw failed('the service could not open its resources', error);
  } finally {
    stack.defer(() => ending.abort(stopSignal.reason));
  }
}

function isDisposable(value: unknown): value is AsyncDisposable | Disposable {
  return value instanceof Object && (Symbol.asyncDispose in value || Symbol.dispose in value);
}
