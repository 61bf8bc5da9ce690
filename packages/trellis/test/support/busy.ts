import { MAX } from '../../src/http/bounds.ts';
import { byHand, open, VALID } from './raw.ts';
import { until } from './until.ts';
import { startApp } from './app.ts';

/** The requests of each are pipelined, of which an operation takes all at once: a connection costs more than a request. */
const CONNECTIONS = 16;

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
  const connections = Array.from({ length: CONNECTIONS }, () => open(app));
  for (const { socket } of connections)
    socket.write(
      byHand(app)
        .create(VALID)
        .repeat(MAX.underWay / CONNECTIONS),
    );
  await until(() => taken === MAX.underWay);
  const statuses = () => connections.flatMap(({ received }) => received.match(/(?<=HTTP\/1\.1 )\d+/g) ?? []);
  return {
    app,
    /** How many requests have reached the operation. */
    taken: () => taken,
    /** Lets the operation answer all of them, and returns the set of statuses. */
    finish: async () => {
      done.resolve({ status: 200, body: { name: 'x' } });
      await until(() => statuses().length === MAX.underWay);
      for (const { socket } of connections) socket.destroy();
      return new Set(statuses().map(Number));
    },
  };
}
