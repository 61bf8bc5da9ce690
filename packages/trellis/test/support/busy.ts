import { MAX } from '../../src/http/bounds.ts';
import { VALID } from './raw.ts';
import { createItem } from './service.ts';
import { until } from './until.ts';
import { startApp } from './app.ts';

/**
 * Starts a service and sends it as many creates as it accepts at once. The operation answers none of them until the test
 * calls `finish`.
 */
export async function startBusy(options: Parameters<typeof startApp>[0] = {}) {
  const done = Promise.withResolvers<{ status: number; body: object }>();
  let taken = 0;
  const take = () => {
    taken++;
    return done.promise;
  };
  const app = await startApp({ ...options, operations: { createItem: take } });
  const underWay = Array.from({ length: MAX.underWay }, () => createItem(app, VALID));
  await until(() => taken === MAX.underWay);
  return {
    app,
    /** How many requests have reached the operation. */
    taken: () => taken,
    /** Lets the operation answer all of them, and returns the set of statuses. */
    finish: async () => {
      done.resolve({ status: 200, body: { name: 'x' } });
      return new Set((await Promise.all(underWay)).map(({ status }) => status));
    },
  };
}
