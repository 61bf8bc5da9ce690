import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Client } from '../../faults/clients.ts';
import { Ledger, randomPlants } from '../../faults/ledger.ts';
import { Load } from '../../faults/load.ts';
import { readPlants } from '../../faults/place.ts';
import { random } from '../../faults/scenario.ts';
import { Composed } from '../../support/compose.ts';
import { whyNoNginx } from '../../support/nginx.ts';
import { describeWith } from '../../support/skipping.ts';
import { temporaryFolder } from '../../support/temporary.ts';

/** Clients that send one plant after the other, each on a connection that it keeps. */
const CLIENTS = 8;

describeWith(whyNoNginx(), 'two instances behind nginx, restarted one after the other under load', () => {
  let composed: Composed;
  beforeAll(async () => {
    const secrets = temporaryFolder();
    const texts = {
      'database-password': 'secret',
      passfile: '*:*:*:*:secret',
      token: 'a-token-of-32-or-more-characters',
    };
    for (const [name, text] of Object.entries(texts)) writeFileSync(join(secrets, name), text);
    composed = await Composed.up(secrets);
  });
  afterAll(() => composed[Symbol.asyncDispose]());

  test.each([
    ['SIGTERM', 3, 0],
    ['SIGKILL', 1, 'SIGKILL'],
  ] as const)('lose no request by %s: each is answered with 200, and stored once', async (signal, rounds, end) => {
    const ledger = new Ledger();
    using client = new Client(composed.token);
    const before = await stored();
    using load = new Load(CLIENTS, [composed.proxy.url], client, ledger, randomPlants(random(Date.now())));
    for (let round = 0; round < rounds; round++) {
      for (const instance of composed.instances) {
        const acknowledged = load.acknowledged;
        while (load.acknowledged < acknowledged + 200 && !load.broken) await sleep(5);
        expect(await instance.end(signal)).toBe(end);
        await instance.start();
      }
    }
    // Those that are back are used, without anybody who tells nginx.
    for (const instance of composed.instances) {
      while (!instance.log.some((line) => line['status'] === 200)) await sleep(5);
    }
    await load.stop();
    expect(load.failures).toBe(0);
    const known = new Set(before.map(({ id }) => id));
    const after = (await stored()).filter(({ id }) => !known.has(id));
    expect(after).toHaveLength(load.acknowledged);
    ledger.check(after);
  });

  const stored = () => readPlants(composed.database.url('plants'));
});
