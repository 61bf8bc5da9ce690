import { Fault } from '../../test/support/clients.ts';
import { readItems } from '../../test/support/place.ts';
import { together } from '../../test/support/testbed.ts';
import { onBoth } from './scenario.ts';

const CLIENTS = 64;
const CONTENTS = 4;
/** The share of requests that a client aborts, and the longest time until the abort, in milliseconds. */
const BROKEN = 0.05;
const BROKEN_MS = 10;

export const once = onBoth('many clients compete for few ids on two instances', async (testbed, long) => {
  const [creates, ids] = long ? [100_000, 1000] : [2000, 100];
  const { next } = testbed;
  const wanted = Array.from({ length: ids }, testbed.newItem);
  const services = await testbed.startTwo();
  const counts = { creates: 0, ids, won: 0, replayed: 0, refused: 0, 'broken off': 0 };
  await together(CLIENTS, async () => {
    while (counts.creates < creates) {
      counts.creates++;
      const item = wanted[Math.floor(next() * ids)];
      const service = services[Math.floor(next() * services.length)];
      if (item === undefined || service === undefined) return;
      const content = { ...item, name: `content ${Math.floor(next() * CONTENTS)}` };
      const answer = await testbed.send(service.url, content, next() < BROKEN ? next() * BROKEN_MS : undefined);
      if (answer === 'unavailable') throw new Fault('the store is unavailable although nothing disturbs it');
      counts[ANSWERS[answer]]++;
    }
  });
  const { length } = await readItems(testbed.place.url);
  if (length !== ids) throw new Fault(`${length} items are stored under ${ids} ids`);
  if (counts.won > ids) throw new Fault(`${counts.won} creates were the first of their id, of ${ids} ids`);
  return counts;
});

const ANSWERS = { created: 'won', replayed: 'replayed', conflict: 'refused', lost: 'broken off' } as const;
