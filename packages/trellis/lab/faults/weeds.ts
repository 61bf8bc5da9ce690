import { DatabaseSync } from 'node:sqlite';
import { exactJson } from '../../../contract/src/schema/int64.ts';
import { Fault } from '../../test/support/clients.ts';
import { Session } from '../../test/support/session.ts';
import { together } from '../../test/support/testbed.ts';
import { onBoth } from './scenario.ts';

/** The number of concurrent requests, and the share of their items that a constraint of the database refuses. */
const AT_ONCE = 256;
const WEEDS = 0.02;

/**
 * A batch can contain items that a constraint of the database refuses. The service must still store every valid item
 * of the batch.
 */
export const weeds = onBoth(
  'one item in fifty is refused by a constraint that an operator added',
  async (testbed, long) => {
    const items = long ? 200_000 : 1500;
    await refuseWeeds(testbed.place.url);
    const { url } = await testbed.start();
    const counts = { sent: 0, weeds: 0, 'weeds answered with 500': 0 };
    await together(AT_ONCE, async () => {
      while (counts.sent < items) {
        counts.sent++;
        const item = testbed.newItem();
        if (testbed.next() < WEEDS) {
          counts.weeds++;
          const weed = { ...item, name: 'weed' };
          if (!(await testbed.client.fails(url, weed))) throw new Fault(`${exactJson(weed)} was not answered with 500`);
          counts['weeds answered with 500']++;
        } else {
          const answer = await testbed.send(url, item);
          if (answer !== 'created') throw new Fault(`${exactJson(item)} was ${answer}`);
        }
      }
    });
    // The ledger does not record weeds, so it reports a stored weed as an item that no client sent.
    return counts;
  },
);

async function refuseWeeds(url: string): Promise<void> {
  if (url.startsWith('sqlite:')) {
    using database = new DatabaseSync(url.slice('sqlite:'.length));
    database.exec(`create trigger no_weeds before insert on items when new.name = 'weed'
      begin select raise(abort, 'a weed'); end`);
  } else {
    await using session = await Session.open(url);
    await session.run("alter table items add constraint no_weeds check (name <> 'weed')");
  }
}
