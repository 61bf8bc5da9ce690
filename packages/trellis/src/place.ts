import { AsyncLocalStorage } from 'node:async_hooks';

/** Where work has begun, to be named and ended if it fails and no request awaits it. */
export interface WorkPlace {
  readonly operation?: string;
  readonly place?: 'resources' | 'connection';
  /** Weak, as what a connection begins may serve others too, and outlive it. */
  readonly connection?: WeakRef<{ destroy(): unknown }>;
}

const places = new AsyncLocalStorage<WorkPlace | undefined>();

/** Gives `work`, and all timers, promises and sockets that it begins, a place. */
export function within<T>(place: WorkPlace | undefined, work: () => T): T {
  return places.run(place, work);
}

/** Gives a place to the rest of this callback of Node, also if it throws: `within` has left its place by then. */
export function remainWithin(place: WorkPlace): void {
  places.enterWith(place);
}

/** In `uncaughtException` and `unhandledRejection`: the place of what has failed; undefined: its state is unknown. */
export function currentPlace(): WorkPlace | undefined {
  return places.getStore();
}
