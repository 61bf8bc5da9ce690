import { setTimeout as sleep } from 'node:timers/promises';
import { Fault, toAnswer } from '../../test/support/clients.ts';
import type { Testbed } from '../../test/support/testbed.ts';
import { until } from '../../test/support/until.ts';
import { onBoth, stop } from './scenario.ts';

/** The number of connections, and the longest time of load before SIGTERM, in milliseconds. */
const CONNECTIONS = 64;
const LONGEST_MS = 400;

/** The service must answer each request on an open keep-alive connection, also after SIGTERM. */
export const drains = onBoth('the service gets SIGTERM under load on kept connections', async (testbed, long) => {
  const counts = { stops: 0, 'after the signal': 0, 'connections refused': 0 };
  for (; counts.stops < (long ? 50 : 2); counts.stops++) {
    const { late, refused } = await stopOnce(testbed, testbed.next() * LONGEST_MS);
    counts['after the signal'] += late;
    counts['connections refused'] += refused;
  }
  return counts;
});

async function stopOnce(testbed: Testbed, afterMs: number): Promise<{ late: number; refused: number }> {
  const { client, ledger } = testbed;
  const service = await testbed.start();
  let told = false;
  let late = 0;
  let refused = 0;
  let taken = 0;
  /** Sends requests until the service has closed the connection without an error, and refuses a new connection. */
  const send = async (): Promise<void> => {
    for (let sent = 0; ; sent++) {
      const item = testbed.newItem();
      const known = ledger.add(item);
      const reply = await client.send(service.url, item);
      if ('error' in reply) {
        // ECONNREFUSED: the connection is new, and the client has sent nothing on it.
        if (!told || reply.error.code !== 'ECONNREFUSED')
          throw new Fault(`a request was cut off: ${reply.error.message}, ${told ? 'after' : 'before'} the signal`);
        refused++;
        return;
      }
      const answer = toAnswer(item, reply);
      if (answer === 'unavailable') throw new Fault('the store is unavailable although nothing disturbs it');
      ledger.answer(item, answer, known);
      if (told) late++;
      if (sent === 0) taken++;
    }
  };
  let broken = false;
  const sent = Promise.all(Array.from({ length: CONNECTIONS }, send)).finally(() => {
    broken = !told;
  });
  // Waits until the service has accepted all connections, as a stop resets those that wait in the listen queue.
  await Promise.race([sent, until(() => broken || taken === CONNECTIONS)]);
  await Promise.race([sent, sleep(afterMs)]);
  told = true;
  await stop(service);
  await sent;
  return { late, refused };
}
