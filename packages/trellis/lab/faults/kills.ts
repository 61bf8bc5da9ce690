import { setTimeout as sleep } from 'node:timers/promises';
import { Fault } from '../../test/support/clients.ts';
import { type Testbed, together } from '../../test/support/testbed.ts';
import { onBoth } from './scenario.ts';
import type { Item } from '../../test/services/items/index.ts';

/** The number of clients, and the longest time of load before a kill, in milliseconds. */
const CLIENTS = 16;
const LONGEST_MS = 400;
/** How many items of a round the test sends again after the restart, and how many of these also with another tag. */
const REPEATED = 100;
const CHANGED = 10;

export const kills = onBoth('the service is killed (-9) repeatedly under load', async (testbed, long) => {
  const rounds = long ? 1000 : 6;
  const counts = { kills: 0, sent: 0, 'sent again': 0 };
  let last: Item[] = [];
  for (let round = 0; round <= rounds; round++) {
    const service = await testbed.start();
    counts['sent again'] += await sendAgain(testbed, service.url, last);
    last = [];
    if (round < rounds) {
      const over = new AbortController();
      const load = together(CLIENTS, async () => {
        while (!over.signal.aborted) {
          const item = testbed.newItem();
          last.push(item);
          await testbed.send(service.url, item);
        }
      });
      await sleep(testbed.next() * LONGEST_MS);
      service.child.kill('SIGKILL');
      over.abort();
      await load;
      counts.kills++;
      counts.sent += last.length;
    }
    service.child.kill('SIGKILL');
    await service.ended;
  }
  return counts;
});

/** Sends the last items again, as clients do after a restart; `testbed.send` checks the answers. */
async function sendAgain(testbed: Testbed, url: string, items: readonly Item[]): Promise<number> {
  // The service was killed while it handled the last items.
  const again = items.slice(-REPEATED);
  const changed = again.slice(-CHANGED).map((item) => ({ ...item, tag: 'changed' }));
  for (const batch of [again, changed]) {
    const answers = await Promise.all(batch.map((item) => testbed.send(url, item)));
    const wrong = answers.find((answer) => answer === 'lost' || answer === 'unavailable');
    if (wrong !== undefined) throw new Fault(`after the restart a retry was answered ${wrong}`);
  }
  return again.length + changed.length;
}
