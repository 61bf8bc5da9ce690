import type { AsyncLocalStorage } from 'node:async_hooks';
import type { Asked } from './database.ts';
import type { AnyRow, Engine, Limit, LookUp, NewRow, Result, Statement, Within } from './engine.ts';
import type { Creation } from './queries.ts';

/** The queries of one run of a transaction. */
export interface Asking {
  readonly run: (statement: Asked<Statement>) => Promise<Result>;
  readonly create: (row: Asked<NewRow>) => Promise<Creation>;
  readonly get: (lookUp: Asked<LookUp>) => Promise<AnyRow | undefined>;
}

/** Resolves when no microtask is left. */
export const settled = () => new Promise<void>((resolve) => process.nextTick(resolve));

/**
 * Runs `work` between the begin and the commit of a transaction, and waits for the queries that it has begun. Rejects
 * when a query fails (even if `work` catches the error) or at its limit. The run is over then: its queries have no effect,
 * and they neither resolve nor reject, as a promise for which `work` does not wait at that moment would end the process.
 *
 * @param runs the async context, which tells in which run a query was called
 */
export async function doWork<T>(
  work: (own: Asking) => Promise<T>,
  within: Within & Pick<Engine, 'get'>,
  limit: Limit,
  runs: AsyncLocalStorage<unknown>,
): Promise<T> {
  const run = { isOver: false };
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const end = (error: unknown) => {
    run.isOver = true;
    reject(error);
  };
  // Nothing waits for this promise once `work` has thrown.
  ended.catch(() => undefined);
  const unlimit = limit(end);
  const running = new Set<Promise<void>>();
  const untilOver =
    <Given, Answer>(query: (given: Given) => Promise<Answer>) =>
    (asked: Asked<Given>): Promise<Answer> => {
      const { promise, resolve } = Promise.withResolvers<Answer>();
      if (run.isOver) return runs.getStore() === run ? promise : Promise.reject(new Error('the transaction is over'));
      const asking = (Error.isError(asked) ? Promise.reject(asked) : query(asked))
        .then((answer) => {
          if (!run.isOver) resolve(answer);
        }, end)
        .finally(() => running.delete(asking));
      running.add(asking);
      return promise;
    };
  const own = { run: untilOver(within.run), create: untilOver(within.create), get: untilOver(within.get) };
  try {
    const result = await Promise.race([runs.run(run, () => work(own)), ended]);
    // Kysely runs a query with a plugin some microtasks after the call, and the answer to one query may begin another.
    await settled();
    while (running.size > 0) {
      await Promise.race([Promise.all(running), ended]);
      await settled();
    }
    // A query may have failed when `work` had its result already.
    await Promise.race([ended, Promise.resolve()]);
    return result;
  } finally {
    unlimit();
    run.isOver = true;
  }
}
