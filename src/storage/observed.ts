import type { Creation, Store, StoreObserver } from './store.ts';

/** The store, with somebody who is told; of the batches it is told by the engine, to which it was given when opened. */
export function observed(store: Store, observer: StoreObserver): Store {
  const { plants, tokens, opened } = store;
  const created = (creation: Creation) => {
    observer.created(creation);
  };
  const failed = (error: unknown) => {
    observer.failed(error);
  };
  return {
    // Whoever called gets the promise itself: nobody waits for what is told.
    plants: {
      ...plants,
      create(plant) {
        const creation = plants.create(plant);
        creation.then(created, failed);
        return creation;
      },
    },
    tokens: {
      ...tokens,
      find(hash) {
        const token = tokens.find(hash);
        token.catch(failed);
        return token;
      },
    },
    opened,
    waiting: () => store.waiting(),
    ready: () => store.ready(),
    close: () => store.close(),
  };
}
