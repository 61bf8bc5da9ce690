import { AsyncLocalStorage } from 'node:async_hooks';
import type { Logger } from 'pino';
import { ownSettings } from '../config.ts';
import { ExplainedError, messageOf } from 'trellis-contract/ground';
import { within } from '../place.ts';
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
  const asResources = within({ place: 'resources' }, () => AsyncLocalStorage.snapshot());
  const end = () => asResources(() => ending.abort(stopSignal.reason));
  if (stopSignal.aborted) end();
  stopSignal.addEventListener('abort', end);
  const failed = (message: string, error: unknown): ExplainedError => {
    log.error({ err: error }, message);
    return new ExplainedError(`${message}: ${messageOf(error)}`, { cause: error });
  };
  try {
    // The type Service has checked `resources` with the types of its own tables and settings, which are not known here.
    const open = service.resources as Opener | undefined;
    const resources = await asResources(() => open?.({ ...shared, log, signal: ending.signal }));
    stack.defer(async () => {
      try {
        await asResources(() => dispose(resources));
      } catch (error) {
        throw failed('the service could not dispose of its resources', error);
      }
    });
    return { ...shared, resources };
  } catch (error) {
    if (stopSignal.aborted) return { ...shared, resources: undefined };
    throw failed('the service could not open its resources', error);
  } finally {
    stack.defer(end);
  }
}

async function dispose(resources: unknown): Promise<void> {
  await using _disposed = isDisposable(resources) ? resources : undefined;
}

function isDisposable(value: unknown): value is AsyncDisposable | Disposable {
  return value instanceof Object && (Symbol.asyncDispose in value || Symbol.dispose in value);
}
