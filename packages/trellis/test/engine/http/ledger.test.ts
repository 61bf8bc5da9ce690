import { expect, test } from '@jest/globals';
import { pino } from 'pino';
import { Ledger } from '../../../src/http/ledger.ts';
import { random } from '../../support/ledger.ts';

const BATCH = 1024;

test('a caller with no request under way gets a place, while fifty others ask for more than there are', () => {
  const ledger = new Ledger(pino({ enabled: false }));
  const next = random(1);
  const busy = Array.from({ length: 50 }, (_, index) => ({ key: `busy ${index}`, slots: 1 }));
  const quiet = { key: 'quiet', slots: 1 };
  const underWay: typeof busy = [];
  for (let batch = 0; batch < 20; batch++) {
    const asking = Array.from({ length: 5000 }, () => busy[Math.floor(next() * busy.length)] ?? quiet);
    underWay.push(...asking.filter((caller) => ledger.takeSlots(caller)));
    expect(underWay.length).toBeLessThan(asking.length);
    expect(ledger.takeSlots(quiet)).toBe(true);
    ledger.releaseSlots(quiet);
    // One commit answers many requests at once.
    for (const caller of underWay.splice(0, BATCH)) ledger.releaseSlots(caller);
  }
});
