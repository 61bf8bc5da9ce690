import { setTimeout as sleep } from 'node:timers/promises';
import { type Answer, Client, Fault } from '../../test/support/clients.ts';
import { adminUrl } from '../../test/support/metrics.ts';
import { AUDIENCE, makeKey, sign, type SigningKey, TestProvider } from '../../test/support/provider.ts';
import type { Service } from '../../test/support/service.ts';
import { type Testbed, together } from '../../test/support/testbed.ts';
import { until } from '../../test/support/until.ts';
import { readiness } from './disturbances.ts';
import { onBoth, stop } from './scenario.ts';

const CLIENTS = 8;
/** How long a client waits between two requests, in milliseconds. */
const PAUSE_MS = 20;
/** The longest time for which the test watches a new instance while the provider is away, in milliseconds. */
const LONGEST_MS = 1000;

/** During a rolling restart, one instance serves while the new instance waits for the provider's keys. */
export const providerAway = onBoth(
  'two instances restart one after the other under load, while the identity provider is away',
  async (testbed, long) => {
    const key = await makeKey('faults');
    await using provider = await TestProvider.start([key]);
    const settings = { ADMIN_PORT: '0', JWT_ISSUER: provider.issuer, JWT_AUDIENCE: AUDIENCE };
    const counts = { 'rolling restarts': 0, 'with new tokens': 0 };
    /** The instances that the balancer sends requests to. */
    const ready: Service[] = [];
    const untilReady = async (service: Service) => {
      await until(async () => (await readiness(adminUrl(service))) === 200);
      ready.push(service);
    };
    for (const _instance of [1, 2]) await untilReady(await testbed.start(settings));
    /** The requests of clients that have no answer yet. */
    const sending = new Set<Promise<Answer>>();
    const stopFirst = async () => {
      const service = ready.shift();
      // A client that has chosen this instance still connects to it, however long that takes on a busy machine.
      await Promise.all(sending);
      if (service !== undefined) await stop(service);
    };

    const over = new AbortController();
    const load = together(CLIENTS, async () => {
      for (let sent = 0; !over.signal.aborted; sent++) {
        const { url = '' } = ready[sent % ready.length] ?? {};
        const request = sendWithNewToken(testbed, url, provider.issuer, key);
        sending.add(request);
        const answer = await request;
        sending.delete(request);
        if (answer !== 'created')
          throw new Fault(`an instance that is ready answers a token of the provider with: ${answer}`);
        counts['with new tokens']++;
        await sleep(PAUSE_MS);
      }
    });
    const restarts = async () => {
      for (; counts['rolling restarts'] < (long ? 10 : 1); counts['rolling restarts']++) {
        provider.disturbance = (request) => request.socket.destroy();
        await stopFirst();
        const next = await testbed.start(settings);
        const deadline = performance.now() + testbed.next() * LONGEST_MS;
        do {
          if ((await readiness(adminUrl(next))) !== 503)
            throw new Fault('an instance without keys says that it is ready');
          if ((await testbed.send(next.url, testbed.newItem())) !== 'created')
            throw new Fault('a token of the store was refused');
          if ((await sendWithNewToken(testbed, next.url, provider.issuer, key)) !== 'unavailable')
            throw new Fault('a token was answered without keys');
        } while (performance.now() < deadline);
        provider.disturbance = undefined;
        await untilReady(next);
        await stopFirst();
        await untilReady(await testbed.start(settings));
      }
    };
    await Promise.race([restarts(), load]).finally(() => over.abort());
    await load;
    return counts;
  },
);

/** Sends a new item with a token that no instance has seen before. */
async function sendWithNewToken(
  { ledger, newItem }: Testbed,
  url: string,
  issuer: string,
  key: SigningKey,
): Promise<Answer> {
  const item = newItem();
  const claims = { iss: issuer, aud: AUDIENCE, sub: `gardener ${String(item.id)}`, exp: Date.now() / 1000 + 300 };
  using client = new Client(await sign(key, claims));
  const known = ledger.add(item);
  const answer = await client.create(url, item);
  ledger.answer(item, answer, known);
  return answer;
}
